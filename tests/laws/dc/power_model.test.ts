import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { Topology } from "#dc/analysis/topology.ts";
import { LOAD_BASES } from "#dc/model/enum_values.ts";
import { answerPowerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { ImpactState, ItemKind, LoadBasis, PowerBlastRadiusRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { fail, type ModelFailure } from "../../support/dc/power_model/failure.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { PowerModel } from "../../support/dc/power_model/model.ts";
import { demands, rackReasons, refOf } from "../../support/dc/power_model/redundancy.ts";
import { readingOf } from "../../support/dc/topology_reader.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// The service's answers about power against those of a slow model written from the laws. PLANNER_LAW_RUNS sets the number of
// inventories; PLANNER_LAW_SEED the first one.

/** Inventories that once showed a difference. */
const KEPT_SEEDS: readonly number[] = [43, 279];
const FIRST_SEED = Number(process.env["PLANNER_LAW_SEED"] ?? 1);
const SEEDS = new Set([...KEPT_SEEDS, ...Array.from({ length: LAW_RUNS }, (_, at) => FIRST_SEED + at)]);
/** Elements of each inventory that are failed. */
const FAILURES = 10;

interface Question {
  readonly seed: number;
  readonly topology: Topology;
  readonly model: PowerModel;
}

async function blast({ topology, model }: Question, source: string, cascade: boolean, basis: number) {
  const request = create(PowerBlastRadiusRequestSchema, {
    sourceRef: refOf(model, source),
    includeProtected: true,
    cascade,
    loadBasis: LoadBasis[LOAD_BASES[basis] ?? "ALLOCATED"],
    maxItems: 10_000,
  });
  return (await answerPowerBlastRadius(readingOf(topology), request)).reply;
}

type Reply = Awaited<ReturnType<typeof blast>>;

const STATE_NAMES = new Map<number, string>(Object.entries(ImpactState).map(([name, state]) => [state, name]));

/** The reply in the words of the model. */
function told(reply: Reply) {
  const items = [...reply.affected, ...reply.protected];
  const refs = (state: ImpactState) =>
    items
      .filter((item) => item.kind !== ItemKind.RACK && item.state === state)
      .map(({ kind, code }) => (kind === ItemKind.CRAC ? `crac:${code}` : `device:${code}`))
      .toSorted();
  const racks = items.filter(({ kind }) => kind === ItemKind.RACK);
  return {
    offline: refs(ImpactState.OFFLINE),
    degraded: refs(ImpactState.DEGRADED),
    racks: Object.fromEntries(racks.map(({ code, state }) => [code, STATE_NAMES.get(state)] as const).toSorted()),
    counts: [reply.impact?.racksDark, reply.impact?.racksPartial, reply.impact?.racksProtected],
    undocumented: reply.impact?.devicesUndocumented,
    itLoadLostW: reply.impact?.itLoadLostW,
    itDevicesWithoutDraw: reply.impact?.itDevicesWithoutDraw,
    minRideThroughS: reply.impact?.minRideThroughS,
    minRideThroughAtLoadS: reply.impact?.minRideThroughAtLoadS,
    steps: reply.cascadeSteps.map(({ trippedRefs }) => trippedRefs.toSorted()),
    overloads: Object.fromEntries(
      reply.overloads.map(({ ref, utilizationPct }) => [ref, utilizationPct.toFixed(6)] as const).toSorted(),
    ),
  };
}

/** A protected rack is one that is degraded. */
const STATES = { DARK: "DARK", PARTIAL: "PARTIAL", PROTECTED: "DEGRADED" } as const;

function expected(model: PowerModel, failure: ModelFailure): ReturnType<typeof told> {
  const refs = (elements: readonly string[]) => elements.map((element) => refOf(model, element)).toSorted();
  const states = [...failure.racks.values()];
  const count = (state: string) => states.filter((one) => one === state).length;
  return {
    offline: refs(failure.offline),
    degraded: refs(failure.degraded),
    racks: Object.fromEntries([...failure.racks].map(([code, state]) => [code, STATES[state]]).toSorted()),
    counts: [count("DARK"), count("PARTIAL"), count("PROTECTED")],
    undocumented: failure.undocumented.length,
    itLoadLostW: failure.itLoadLostW,
    itDevicesWithoutDraw: failure.withoutDraw.length,
    minRideThroughS: failure.minRideThroughS,
    minRideThroughAtLoadS: failure.minRideThroughAtLoadS,
    steps: failure.steps.map(refs),
    overloads: Object.fromEntries(
      [...failure.overloads].map(([element, pct]) => [refOf(model, element), pct.toFixed(6)] as const).toSorted(),
    ),
  };
}

function question(seed: number): Question {
  const inventory = drawnInventory(seed);
  return { seed, topology: Topology.createFromInventory(inventory), model: new PowerModel(inventory) };
}

test("a failure does what the slow model of the laws says, with and without a cascade", async () => {
  for (const seed of SEEDS) {
    const asked = question(seed);
    const { model, topology } = asked;
    // A cooling unit supplies nothing, so its failure cannot be asked for.
    const sources = model.elements.filter((element) => !model.cracs.has(element));
    const step = Math.max(1, Math.floor(sources.length / FAILURES));
    for (let at = seed % step; at < sources.length; at += step) {
      const source = sources[at] ?? "";
      const [cascade, basis] = [at % 2 === 0, at % LOAD_BASES.length];

      const reply = await blast(asked, source, cascade, basis);

      const failure = fail(model, { source, basis: LOAD_BASES[basis] ?? "ALLOCATED", cascade });
      expect({ seed, source, cascade, basis, ...told(reply) }).toEqual({
        seed,
        source,
        cascade,
        basis,
        ...expected(model, failure),
      });
      for (const element of model.elements) {
        const index = topology.power.indexOf.get(refOf(model, element).toLowerCase()) ?? -1;
        const { loadW } = reply.nodes.find(({ ref }) => ref === topology.power.nodes[index]?.ref) ?? {};
        if (loadW !== undefined)
          expect([seed, source, element, Math.round(loadW)]).toEqual([
            seed,
            source,
            element,
            Math.round(failure.loads.watts(element)),
          ]);
      }
    }
  }
}, 600_000);

const INFORMATIVE = ["SINGLE_CORDED", "POWER_NOT_RECORDED", "STALE_TELEMETRY", "SPACE", "WEIGHT"];

test("redundancy and the health of racks are what the slow model of the laws says", () => {
  for (const seed of SEEDS) {
    const { topology, model } = question(seed);
    const byCode = (a: { readonly code: string }, b: { readonly code: string }) => (a.code < b.code ? -1 : 1);

    const verdicts = topology.listRedundancyVerdicts().toSorted(byCode);

    expect({ seed, verdicts }).toEqual({ seed, verdicts: demands(model, topology.inventory).toSorted(byCode) });
    for (const rack of topology.inventory.racks) {
      const { reasons } = topology.computeRackStanding(rack, { basis: "ALLOCATED", now: "2026-01-01T00:00:00.000Z" });
      const found = reasons
        .filter(({ code }) => !INFORMATIVE.includes(code))
        .map(({ code, ref, health }) => `${code} ${ref} ${health ?? "INFO"}`);
      const wanted = rackReasons(model, topology.inventory, rack.code).map(
        ({ code, ref, health }) => `${code} ${ref} ${health ?? "INFO"}`,
      );
      expect({ seed, rack: rack.code, found: found.toSorted() }).toEqual({
        seed,
        rack: rack.code,
        found: wanted.toSorted(),
      });
    }
  }
}, 600_000);
