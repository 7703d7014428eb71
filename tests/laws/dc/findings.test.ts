import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { listFindings } from "#dc/operations/planning/readings/list_findings.ts";
import { openService } from "#dc/service.ts";
import type { ListFindingsResponse } from "#gen/datacenter/v1/findings_pb.ts";
import { ListFindingsRequestSchema } from "#gen/datacenter/v1/findings_pb.ts";
import { meteredSite, PER_RACK, type Planted, roundOf, serverCode } from "../../support/dc/metered_site.ts";
import type { TestService } from "../../support/dc/service.ts";

/** Devices of a large site, such as 10,000; without it small ones are made at random. */
const DEVICES = Number(process.env["PLANNER_FINDING_DEVICES"] ?? 0);
const ROUNDS = 6;
const STEP_S = 15 * 60;

interface Found {
  readonly kind: string;
  readonly element_ref: string;
  readonly since: string;
}

/** Reports every round, a quarter hour apart, as a server sees it. Returns the times of the rounds. */
async function report(site: TestService, racks: number, planted: Planted): Promise<readonly string[]> {
  const times: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0) site.clock.moveS(STEP_S);
    times.push(site.clock.now().toISOString().replace(".000", ""));
    const readings = [...roundOf(racks, round, planted)];
    for (let at = 0; at < readings.length; at += 10_000) {
      await site.call("ReportReadings", { readings: readings.slice(at, at + 10_000), source: "probe" });
    }
    await site.service.updateFindingStarts();
  }
  return times;
}

async function allFindings({ call }: TestService): Promise<readonly Found[]> {
  const found: Found[] = [];
  let page_token = "";
  do {
    const reply = await call("ListFindings", { page_size: 50, page_token });
    found.push(...(reply.findings ?? []));
    page_token = reply.next_page_token ?? "";
  } while (page_token !== "");
  return found;
}

/** What was planted, as it has to be found. */
function expected(times: readonly string[], { deadInlets, abovePlan, stopped, smallFeeds }: Planted) {
  const [first = "", second = ""] = times;
  const of = (kind: string, ref: string, since: string) => `FINDING_KIND_${kind} ${ref} ${since}`;
  return [
    ...[...deadInlets].map((index) => of("DEAD_SUPPLY", `port:${serverCode(index)}/A`, first)),
    ...[...abovePlan].map((index) => of("ABOVE_PLAN", `device:${serverCode(index)}`, first)),
    ...[...stopped].map((index) => of("READING_STOPPED", `device:${serverCode(index)}`, second)),
    ...[...smallFeeds].map((rack) => of("ABOVE_LIMIT", `feed:FA-${rack}`, first)),
  ].sort();
}

async function findsAllPlanted(racks: number, planted: Planted): Promise<void> {
  const site = await meteredSite(racks, planted);
  const times = await report(site, racks, planted);

  const found = await allFindings(site);

  const lines = (all: readonly Found[]) => all.map(({ kind, element_ref, since }) => `${kind} ${element_ref} ${since}`);
  expect(lines(found).sort()).toEqual(expected(times, planted));
  // A server that starts again knows since when.
  const again = await openService(site.store, { clock: site.clock, authRequired: false });
  const reply = await again.call(listFindings, create(ListFindingsRequestSchema, { pageSize: 1000 }), {
    interface: "REST",
  });
  expect((reply as ListFindingsResponse).totalCount).toBe(found.length);
  const dates = (reply as ListFindingsResponse).findings.map(({ elementRef, since }) => [elementRef, since?.seconds]);
  const known = found.map(({ element_ref, since }) => [element_ref, BigInt(Date.parse(since) / 1000)]);
  if (found.length <= 1000) expect(dates).toEqual(known as typeof dates);
  await site.store.close();
}

test("everything that was planted is found with since when, and nothing else", async () => {
  if (DEVICES > 0) {
    const every = (start: number, step: number, count: number) =>
      new Set(Array.from({ length: count }, (_, at) => start + at * step));
    await findsAllPlanted(DEVICES / PER_RACK, {
      deadInlets: every(3, 197, 50),
      abovePlan: every(5, 401, 20),
      stopped: every(7, 991, 10),
      smallFeeds: every(11, 97, 5),
    });
    return;
  }
  const racks = 4;
  const some = (min: number, max: number) => fc.uniqueArray(fc.integer({ min, max }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(some(0, 19), some(20, 39), some(40, 59), some(0, racks - 1), async (dead, above, stopped, small) =>
      findsAllPlanted(racks, {
        deadInlets: new Set(dead),
        abovePlan: new Set(above),
        stopped: new Set(stopped),
        smallFeeds: new Set(small),
      }),
    ),
    { numRuns: 5 },
  );
});
