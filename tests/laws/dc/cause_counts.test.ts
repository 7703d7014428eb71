import { expect, test } from "bun:test";
import { fromJson } from "@bufbuild/protobuf";
import { formatCauses } from "#cli/dc/rehearse.ts";
import { FailureCauseSchema } from "#gen/datacenter/v1/rehearsal_pb.ts";
import { findWorstImpact } from "#web/console/overview/rehearsal.ts";
import { agreeingSites } from "../../support/dc/agreeing_sites.ts";
import type { WalkedSite } from "../../support/dc/walked_site.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";

// One cause has one count: RehearseFailures, PowerBlastRadius, the table of the command line, the first screen of the console
// and the pictures say the same numbers of racks and devices.

const ASKED_OF_A_SITE = 12;
const MOST_ELEMENTS = 40;
const LISTED = 1000;

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

interface Compared {
  elements: number;
  whole: number;
  pictures: number;
}

const USUAL = new Set(["POWER", "OUTLET", "COOLING", "SWITCH"].map((kind) => `FAILURE_KIND_${kind}`));
/** Kinds that fail only if they are named. */
const OTHERS = ["INLET", "PANEL", "CABLE", "LINK", "RACK", "ROW", "ROOM", "ZONE"];

const COUNTS = [
  "racks_dark",
  "racks_partial",
  "racks_protected",
  "devices_offline",
  "it_devices_offline",
  "devices_degraded",
  "cracs_offline",
] as const;

test("a cause has the same counts in the rehearsal, the failure, the table, the console and the picture", async () => {
  const compared = { elements: 0, whole: 0, pictures: 0, floors: 0 };
  for await (const site of agreeingSites(LAW_INVENTORIES)) {
    for (const kinds of [[], OTHERS]) {
      const asked = { kinds: kinds.map((kind) => `FAILURE_KIND_${kind}`), cascade: true, page_size: LISTED };
      const { causes = [] } = await site.call("RehearseFailures", { ...asked, max_elements: LISTED });
      await causesAgree(site, causes, compared);
      if (kinds.length === 0) compared.floors += await floorsAgree(site, causes);
    }
  }
  expect(compared.elements).toBeGreaterThan(100);
  expect(compared.pictures).toBeGreaterThan(20);
  expect(compared.whole).toBeGreaterThan(0);
  expect(compared.floors).toBeGreaterThan(11);
}, 600_000);

async function causesAgree(site: WalkedSite, causes: readonly Json[], compared: Compared): Promise<void> {
  const rows = rowsOf(causes);
  for (const [at, cause] of causes.entries()) {
    const say = `${site.name}, ${cause.summary}`;
    const { racks_dark = 0, it_devices_offline = 0 } = cause.elements[0].impact ?? {};
    expect([say, ...(rows[at] ?? [])]).toEqual([say, racks_dark, it_devices_offline]);
    summaryAgrees(say, cause);
  }
  const isUsual = causes.every(({ kind }) => USUAL.has(kind));
  for (const cause of isUsual ? causes : spread(causes)) await causeAgrees(site, cause, compared);
}

/** Some causes of few elements, spread over the list: the kinds that fail only if they are named have thousands. */
function spread(causes: readonly Json[]): readonly Json[] {
  const few = causes.filter(({ elements }) => elements.length <= MOST_ELEMENTS);
  const step = Math.max(1, Math.floor(few.length / ASKED_OF_A_SITE));
  return few.filter((_, at) => at % step === 0);
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

/** The counts of each element of a cause are those of its failure, and the cause counts what any of them takes, once. */
async function causeAgrees(site: WalkedSite, cause: Json, compared: Compared): Promise<void> {
  const say = `${site.name}, ${cause.summary}`;
  const together = new Map<string, Set<string>>();
  for (const { refs, impact } of cause.elements) {
    const reply = await site.call("PowerBlastRadius", {
      source_ref: refs[0],
      additional_source_refs: refs.slice(1),
      cascade: true,
      include_protected: true,
      max_items: 10_000,
    });
    expect([say, refs, countsOf(impact)]).toEqual([say, refs, countsOf(reply.impact)]);
    for (const { kind, state, code } of [...(reply.affected ?? []), ...(reply.protected ?? [])]) {
      const counted = `${kind} ${state}`;
      together.set(counted, (together.get(counted) ?? new Set()).add(code));
    }
    compared.elements += 1;
  }
  const [worst] = cause.elements;
  expect([say, findWorstImpact(cause)]).toEqual([say, worst?.impact]);
  const taken = (counted: string) => together.get(counted) ?? new Set<string>();
  const lists: readonly (readonly [counted: string, codes: readonly string[], count: number | undefined])[] = [
    ["ITEM_KIND_RACK IMPACT_STATE_DARK", cause.racks_dark ?? [], cause.impact?.racks_dark],
    ["ITEM_KIND_DEVICE IMPACT_STATE_OFFLINE", cause.devices_lost ?? [], cause.impact?.it_devices_offline],
    ["ITEM_KIND_CRAC IMPACT_STATE_OFFLINE", cause.cracs_lost ?? [], cause.impact?.cracs_offline],
  ];
  for (const [counted, codes, count = 0] of lists) {
    // A smaller cause may be charged with a part of it.
    expect([say, counted, codes.filter((code) => !taken(counted).has(code))]).toEqual([say, counted, []]);
    expect([say, counted, codes.length]).toEqual([say, counted, count]);
  }
  if (site.name === "AMS1" && USUAL.has(cause.kind) && cause.severity !== "FAILURE_SEVERITY_INFO") {
    const [[, racks]] = lists as [(typeof lists)[number]];
    expect([say, racks.length]).toEqual([say, taken("ITEM_KIND_RACK IMPACT_STATE_DARK").size]);
    compared.whole += 1;
  }
  if (worst?.refs.length !== 1) return;
  await pictureAgrees(site, say, worst);
  compared.pictures += 1;
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

function countsOf(impact: Json = {}): readonly (readonly [string, number])[] {
  return COUNTS.map((name) => [name, impact?.[name] ?? 0]);
}
