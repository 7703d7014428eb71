import type { LoadBasis } from "#dc/model/enum_values.ts";
import { ModelLoads } from "./loads.ts";
import { NOTHING_FAILED, type PowerModel, type Situation } from "./model.ts";

export interface Asked {
  readonly source: string;
  readonly basis: LoadBasis;
  readonly cascade: boolean;
}

/** What the slow model says about the failure of one element. */
export interface ModelFailure {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly offline: readonly string[];
  readonly degraded: readonly string[];
  readonly racks: ReadonlyMap<string, "DARK" | "PARTIAL" | "PROTECTED">;
  readonly undocumented: readonly string[];
  readonly itLoadLostW: number;
  /** Of what goes off, consumers whose draw nothing records; a blade is a part of its chassis. */
  readonly withoutDraw: readonly string[];
  readonly minRideThroughS: number | undefined;
  readonly minRideThroughAtLoadS: number | undefined;
  readonly steps: readonly (readonly string[])[];
  readonly overloads: ReadonlyMap<string, number>;
  readonly loads: ModelLoads;
}

/** Fails an element; with `cascade` trips what that overloads until nothing more trips. P7. */
export function fail(model: PowerModel, { source, basis, cascade }: Asked): ModelFailure {
  const before = model.live(NOTHING_FAILED);
  const normal = new ModelLoads(model, before, basis);
  const failed = new Set([source]);
  const steps: string[][] = [];
  for (;;) {
    const after = model.live({ ...NOTHING_FAILED, failed });
    const loads = new ModelLoads(model, after, basis);
    const overloads = overloadsOf(model, { normal, loads, after });
    const tripping = [...overloads].filter(([, pct]) => pct > 100).map(([element]) => element);
    if (!cascade || tripping.length === 0 || steps.length === 20) {
      return { ...told(model, { source, basis, before, after, failed }), steps, overloads, loads };
    }
    for (const element of tripping) failed.add(element);
    steps.push(tripping);
  }
}

/** What the failure, not the state before it, puts above its limit, with its utilization. */
function overloadsOf(
  model: PowerModel,
  {
    normal,
    loads,
    after,
  }: { readonly normal: ModelLoads; readonly loads: ModelLoads; readonly after: ReadonlySet<string> },
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const element of model.elements) {
    const pct = loads.utilizationPct(element);
    if (pct === undefined || !after.has(element)) continue;
    if (pct > loads.limitPct(element) + 1e-9 && pct > (normal.utilizationPct(element) ?? 0) + 1e-9)
      found.set(element, pct);
  }
  return found;
}

interface Told {
  readonly source: string;
  readonly basis: LoadBasis;
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
}

function told(model: PowerModel, { source, basis, before, after, failed }: Told) {
  const things = [...model.devices.keys(), ...model.cracs.keys()].filter((element) => element !== source);
  // Devices that nobody supplies cannot lose a supply; they go off only by tripping.
  const offline = things.filter((element) => before.has(element) && !after.has(element));
  const weak = degraded(model, before, after);
  const changed = new Set([...offline, ...weak]);
  const states = racksOf(model, { source, before, after, changed });
  const it = offline.filter((element) => model.devices.has(element) && !model.isPower(element));
  const undocumented = [...model.devices.keys()].filter(
    (element) => model.isUndocumented(element) && states.has(model.devices.get(element)?.rackCode ?? ""),
  );
  return {
    before,
    after,
    offline,
    degraded: things.filter((element) => weak.has(element)),
    racks: states,
    undocumented,
    itLoadLostW: it.reduce((sum, element) => sum + lostW(model, element, { gone: new Set(it), basis }), 0),
    withoutDraw: it.filter(
      (element) =>
        model.isConsumer(element) &&
        model.chassisOf(element) === undefined &&
        model.recordedDrawOf(element, basis) === undefined,
    ),
    minRideThroughS: rideThrough(model, { before, after, failed }),
    minRideThroughAtLoadS: rideThroughAtLoad(model, { source, basis, before, after, failed }),
  };
}

/** With all batteries carrying and before anything trips: the shortest time by what each UPS without supply carries then. */
function rideThroughAtLoad(model: PowerModel, told: Told): number | undefined {
  const { source, basis, before } = told;
  const rated = rideThrough(model, told);
  if (rated === undefined || rated === 0) return rated;
  const onBattery = new Set(
    [...model.devices].flatMap(([element, { power }]) =>
      (power?.runtimeS ?? 0) > 0 && before.has(element) && element !== source ? [element] : [],
    ),
  );
  const after = model.live({ ...NOTHING_FAILED, failed: new Set([source]), onBattery });
  const loads = new ModelLoads(model, after, basis);
  const times = [...onBattery].flatMap((element) => {
    const { kind, power: { capacityW, runtimeS = 0 } = {} } = model.devices.get(element) ?? {};
    const sources = model.recordedOf(element).flatMap(({ source: from }) => from ?? []);
    const isDraining = sources.some((from) => before.has(from)) && !sources.some((from) => after.has(from));
    const load = loads.watts(element);
    if (kind !== "UPS" || capacityW === undefined || !isDraining || load <= 0) return [];
    return [Math.floor((runtimeS * capacityW) / load + 1e-6)];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** P6: a blade whose chassis goes off by its own measurement is counted there. */
function lostW(
  model: PowerModel,
  element: string,
  { gone, basis }: { readonly gone: ReadonlySet<string>; readonly basis: LoadBasis },
): number {
  const chassis = model.chassisOf(element);
  if (chassis !== undefined && gone.has(chassis) && model.measuresBlades(chassis, basis)) return 0;
  return model.drawOf(element, basis);
}

function rideThrough(
  model: PowerModel,
  {
    before,
    after,
    failed,
  }: {
    readonly before: ReadonlySet<string>;
    readonly after: ReadonlySet<string>;
    readonly failed: ReadonlySet<string>;
  },
): number | undefined {
  const times = [...model.devices].flatMap(([element, { power }]) => {
    if (power?.runtimeS === undefined || failed.has(element) || !before.has(element)) return [];
    const recorded = model.recordedOf(element);
    const had = recorded.some(({ source = "" }) => before.has(source));
    const has = recorded.some(({ source = "" }) => after.has(source));
    return had && !has ? [power.runtimeS] : [];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** P4: still live, but lost a live inlet, or all live inlets depend on degraded sources. */
function degraded(model: PowerModel, before: ReadonlySet<string>, after: ReadonlySet<string>): ReadonlySet<string> {
  const weak = new Set<string>();
  const isWeak = (element: string): boolean => {
    if (!after.has(element) || element.startsWith("f:")) return false;
    const outlet = model.outlets.get(element);
    // A bound outlet is supplied by its inlet alone.
    if (outlet !== undefined)
      return weak.has(model.boundTo(outlet.device, outlet.port.powerOut?.inletName) ?? outlet.device);
    const chassis = model.chassisOf(element);
    if (chassis !== undefined) return weak.has(chassis);
    const had = model.recordedOf(element).filter(({ source = "" }) => before.has(source));
    const has = had.filter(({ source = "" }) => after.has(source));
    return has.length < had.length || (has.length > 0 && has.every(({ source = "" }) => weak.has(source)));
  };
  for (;;) {
    const next = model.elements.find((element) => !weak.has(element) && isWeak(element));
    if (next === undefined) return weak;
    weak.add(next);
  }
}

interface RackQuestion {
  readonly source: string;
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
}

type RackState = "DARK" | "PARTIAL" | "PROTECTED";

/** P2, P4 and the states of a rack. */
function racksOf(model: PowerModel, question: RackQuestion): ReadonlyMap<string, RackState> {
  const everything = [...model.devices.keys(), ...model.cracs.keys()];
  const rackOf = (element: string) => (model.devices.get(element) ?? model.cracs.get(element))?.rackCode;
  const racks = [...new Set(everything.flatMap((element) => rackOf(element) ?? []))];
  return new Map(
    racks.flatMap((rack) => {
      const state = rackState(
        model,
        question,
        everything.filter((element) => rackOf(element) === rack),
      );
      return state === undefined ? [] : [[rack, state] as const];
    }),
  );
}

function rackState(model: PowerModel, question: RackQuestion, inside: readonly string[]): RackState | undefined {
  const { source, before, after, changed } = question;
  const consumers = inside.filter((element) => model.devices.has(element) && model.isConsumer(element));
  const unknown = consumers.some((element) => model.isUndocumented(element));
  const judged = consumers.filter((element) => element !== source && !model.isUndocumented(element));
  const goes = (element: string) => before.has(element) && !after.has(element);
  const lost = consumers.filter((element) => element !== source && goes(element));
  const pdus = inside.filter((element) => model.isPower(element) && model.isInService(element));
  if (judged.length === 0 && pdus.some(goes) && pdus.every((element) => !after.has(element))) {
    if (unknown) return "PARTIAL";
    if (pdus.some((element) => element !== source && goes(element))) return "DARK";
  }
  if (!inside.some((element) => changed.has(element) && element !== source)) return undefined;
  if (lost.length === 0) return "PROTECTED";
  return !unknown && judged.every((element) => !after.has(element)) ? "DARK" : "PARTIAL";
}

/** The situation of a failure, for callers that ask further. */
export function situation(failed: Iterable<string>, mode: Situation["mode"] = "NOW"): Situation {
  return { failed: new Set(failed), mode };
}
