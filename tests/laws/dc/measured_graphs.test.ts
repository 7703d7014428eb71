import { expect, test } from "bun:test";
import fc from "fast-check";
import { type MeasuredGraph, MeasuredGraphs, type MeasuredLoadOptions } from "#dc/measured_graphs.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { TopologyCache } from "#dc/operations/answers/topology.ts";
import { meteredSite, serverCode } from "../../support/dc/metered_site.ts";
import type { TestService } from "../../support/dc/service.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const NOTHING = { deadInlets: new Set(), abovePlan: new Set(), stopped: new Set(), smallFeeds: new Set() } as never;
const SERVERS = 4;

type Step =
  | { readonly kind: "report"; readonly refs: readonly string[]; readonly watts: number; readonly agoS: number }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "draw"; readonly server: number; readonly watts: number };

const measurable = fc.constantFrom(
  ...Array.from({ length: SERVERS }, (_, at) => [`device:${serverCode(at)}`, `port:${serverCode(at)}/A`]).flat(),
  "device:PDU-A-0",
  "feed:FB-0",
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("report" as const),
    refs: fc.uniqueArray(measurable, { minLength: 1, maxLength: 4 }),
    watts: fc.integer({ min: 0, max: 3000 }),
    agoS: fc.constantFrom(0, 30, 200, 900),
  }),
  fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(-60, 1, 60, 300, 900, 86_400) }),
  fc.record({
    kind: fc.constant("draw" as const),
    server: fc.nat(SERVERS - 1),
    watts: fc.integer({ min: 1, max: 900 }),
  }),
);
const question: fc.Arbitrary<MeasuredLoadOptions> = fc.record({
  isPeak: fc.boolean(),
  maxAgeS: fc.constantFrom(60, 300, 900),
});

async function take({ call, clock }: TestService, one: Step): Promise<void> {
  if (one.kind === "wait") return clock.moveS(one.seconds);
  if (one.kind === "draw") {
    const code = serverCode(one.server);
    const { device } = await call("GetDevice", { code });
    await call("UpsertDevice", { device: { ...device, allocated_draw_w: one.watts } });
    return;
  }
  const time = new Date(clock.now().getTime() - one.agoS * 1000).toISOString();
  const of = (element_ref: string) => ({ element_ref, quantity: "READING_QUANTITY_POWER_W", value: one.watts, time });
  await call("ReportReadings", { source: "probe", readings: one.refs.map(of) });
}

/** A reading that lapsed counts again once the clock was set back. */
const SET_BACK = ((): readonly [Step, MeasuredLoadOptions[]][] => {
  const asked = [{ isPeak: false, maxAgeS: 300 }];
  const report = (at: number): Step => ({
    kind: "report",
    refs: [`device:${serverCode(at)}`],
    watts: 500,
    agoS: 0,
  });
  const wait = (seconds: number): Step => ({ kind: "wait", seconds });
  return [
    [report(0), []],
    [wait(250), []],
    [report(1), []],
    [wait(60), asked],
    [wait(-60), asked],
  ];
})();

/** What answers take from a graph. */
function figuresOf({ topology, load, measuredW, until }: MeasuredGraph) {
  const { inventory, power } = topology;
  return { inventory, loads: power.nodes, load, measuredW, until };
}

test("a kept graph is the one that would be built now, and questions at one time share it", async () => {
  let shared = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.array(question, { minLength: 1, maxLength: 4 })), { minLength: 4, maxLength: 12 }),
      async (turns) => {
        const site = await meteredSite(1, NOTHING);
        const [graphs, topologies] = [new MeasuredGraphs(), new TopologyCache()];
        const seen = new Set<MeasuredGraph>();
        for (const [one, questions] of turns) {
          await take(site, one);
          await site.store.read(async (reader) => {
            const recorded = await topologies.getTopology(reader);
            const now = site.clock.now().toISOString();
            const readings = await reader.readingsRevision();
            const moment = () => ({ reader, scheduler: new CooperativeScheduler(), now, readings });
            for (const asked of questions) {
              const [first, second] = await Promise.all([
                graphs.getGraph(moment(), recorded, asked),
                graphs.getGraph(moment(), recorded, asked),
              ]);
              const fresh = await new MeasuredGraphs().getGraph(moment(), recorded, asked);

              expect(second).toBe(first);
              expect(figuresOf(first)).toEqual(figuresOf(fresh));
              if (seen.has(first)) shared += 1;
              seen.add(first);
            }
          });
        }
      },
    ),
    { numRuns: Math.ceil(LAW_RUNS / 5), examples: [[[...SET_BACK]]] },
  );
  expect(shared).toBeGreaterThan(0);
});

test("a graph whose build was given up is built again by those who waited for it", async () => {
  const site = await meteredSite(1, NOTHING);
  await take(site, { kind: "report", refs: [`device:${serverCode(0)}`], watts: 7, agoS: 0 });
  const graphs = new MeasuredGraphs();
  await site.store.read(async (reader) => {
    const recorded = await new TopologyCache().getTopology(reader);
    const now = site.clock.now().toISOString();
    const readings = await reader.readingsRevision();
    const asked = { isPeak: false, maxAgeS: 900 };
    const moment = (signal?: AbortSignal) => ({ reader, scheduler: new CooperativeScheduler(signal), now, readings });
    const stop = new AbortController();
    stop.abort(new Error("given up"));
    const given = graphs.getGraph(moment(stop.signal), recorded, asked).then(
      () => "built",
      () => "given up",
    );
    const waiting = graphs.getGraph(moment(), recorded, asked);

    expect([await given, (await waiting).load?.measuredW]).toEqual(["given up", 7]);
  });
});
