import { expect, test } from "bun:test";
import { fromJson } from "@bufbuild/protobuf";
import { formatCauses } from "#cli/dc/rehearse.ts";
import { FailureCauseSchema } from "#gen/datacenter/v1/rehearsal_pb.ts";
import { findWorstImpact } from "#web/console/overview/rehearsal.ts";
import { agreeingSites } from "../../support/dc/agreeing_sites.ts";
import type { WalkedSite } from "../../support/dc/walked_site.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";

// One cause has one count: RehearseFailures, the table of the command line, the impact that the console shows of a cause, the
// floors and the pictures say the same numbers of racks and devices. one_judgement.test.ts compares them with PowerBlastRadius.

const LISTED = 1000;
/** Pictures of a site that are drawn of causes of kinds that fail only if they are named: these have thousands of causes. */
const DRAWN_OF_OTHERS = 12;

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

/** Kinds that fail only if they are named. */
const OTHERS = ["INLET", "PANEL", "CABLE", "LINK", "RACK", "ROW", "ROOM", "ZONE"];

test("a cause has the same counts in the rehearsal, the table, the console and the picture", async () => {
  let [pictures, others, floors] = [0, 0, 0];
  for await (const site of agreeingSites(LAW_INVENTORIES)) {
    for (const kinds of [[], OTHERS]) {
      const asked = { kinds: kinds.map((kind) => `FAILURE_KIND_${kind}`), cascade: true, page_size: LISTED };
      const { causes = [] } = await site.call("RehearseFailures", { ...asked, max_elements: LISTED });
      causesAgree(site, causes);
      const drawn = kinds.length === 0 ? causes : spread(causes);
      for (const { elements, summary } of drawn) await pictureAgrees(site, summary, elements[0]);
      if (kinds.length === 0) {
        floors += await floorsAgree(site, causes);
        pictures += drawn.length;
      } else others += drawn.length;
    }
  }
  expect(pictures).toBeGreaterThan(20);
  expect(others).toBeGreaterThan(20);
  expect(floors).toBeGreaterThan(11);
}, 600_000);

/** Some causes, spread over the list. */
function spread(causes: readonly Json[]): readonly Json[] {
  const step = Math.max(1, Math.floor(causes.length / DRAWN_OF_OTHERS));
  return causes.filter((_, at) => at % step === 0);
}

function causesAgree(site: WalkedSite, causes: readonly Json[]): void {
  const rows = rowsOf(causes);
  for (const [at, cause] of causes.entries()) {
    const say = `${site.name}, ${cause.summary}`;
    const { elements, impact = {}, racks_dark = [], devices_lost = [], cracs_lost = [] } = cause;
    const [worst] = elements;
    expect([say, ...(rows[at] ?? [])]).toEqual([
      say,
      worst.impact?.racks_dark ?? 0,
      worst.impact?.it_devices_offline ?? 0,
    ]);
    expect([say, findWorstImpact(cause)]).toEqual([say, worst.impact]);
    const counts = [impact.racks_dark ?? 0, impact.it_devices_offline ?? 0, impact.cracs_offline ?? 0];
    const listed = [racks_dark, devices_lost, cracs_lost].map(({ length }) => length);
    expect([say, listed]).toEqual([say, counts.map((count) => Math.min(count, LISTED))]);
    summaryAgrees(say, cause);
  }
}

/**
 * The floors, which the overview draws as well, mark the racks that causes turn dark, and no others. Returns the number of
 * racks that go dark.
 */
async function floorsAgree(site: WalkedSite, causes: readonly Json[]): Promise<number> {
  const tiles: Json[] = [];
  for (const { ref } of await site.rows("FLOOR")) {
    const reply = await site.call("FloorPlan", {
      floor_ref: ref,
      render: { format: "RENDER_FORMAT_NONE", coloring: "COLORING_RISK" },
    });
    tiles.push(...(reply.racks ?? []), ...(reply.unplaced_racks ?? []));
  }
  const onFloors = new Set(tiles.map(({ code }) => code));
  const codesOf = (some: readonly Json[]) => new Set(some.flatMap(({ racks_dark = [] }) => racks_dark as string[]));
  const taken = codesOf(causes);
  const grave = codesOf(causes.filter(({ severity }) => /CRITICAL|HIGH/.test(severity)));
  const dark = new Set(tiles.filter(({ risk }) => risk === "RACK_RISK_DARK").map(({ code }) => code));
  const onPlan = [...taken].filter((code) => onFloors.has(code));
  expect([site.name, [...dark].sort()]).toEqual([site.name, onPlan.sort()]);
  if (site.name === "AMS1") expect([...dark].sort()).toEqual([...grave].sort());
  return dark.size;
}

/** Racks dark and devices offline of each line of the command's table. */
function rowsOf(causes: readonly Json[]): readonly (readonly number[])[] {
  const messages = causes.map((cause) => fromJson(FailureCauseSchema, cause));
  const lines = formatCauses(messages, undefined).split("\n");
  return lines.flatMap((line) => {
    const [, racks, devices] =
      /\s(\d+)\s+(\d+)\s+(?:not recorded|[\d.,]+ [kM]?W(?:, \d+ not recorded)?)$/.exec(line.trimEnd()) ?? [];
    return racks === undefined ? [] : [[Number(racks), Number(devices)]];
  });
}

/** The summary has the figures of one failure: the largest of any element. */
function summaryAgrees(say: string, { summary, elements, omitted_elements = 0 }: Json): void {
  if (omitted_elements > 0) return;
  const most = (name: string) => Math.max(...elements.map(({ impact = {} }: Json) => impact[name] ?? 0));
  const said = (words: RegExp) => Number(words.exec(summary)?.[1]?.replaceAll(",", "") ?? 0);
  const racks = said(/([\d,]+) racks? dark/);
  const devices = said(/([\d,]+) devices? offline/);
  expect([say, racks, devices]).toEqual([say, most("racks_dark"), most("it_devices_offline")]);
}

async function pictureAgrees(site: WalkedSite, say: string, worst: Json): Promise<void> {
  const { words } = await site.pictured("POWER", worst.refs[0]);
  for (const [label, count] of [
    ["racks dark", worst.impact?.racks_dark ?? 0],
    ["devices offline", worst.impact?.it_devices_offline ?? 0],
    ["devices with less supply", worst.impact?.devices_degraded ?? 0],
  ] as const)
    expect([say, label, words[words.indexOf(label) + 1]]).toEqual([say, label, String(count)]);
}
