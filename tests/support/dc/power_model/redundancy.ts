import type { LoadBasis, Redundancy } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Rack } from "#dc/model/resources.ts";
import { situation } from "./failure.ts";
import { ModelLoads } from "./loads.ts";
import { type Mode, NOTHING_FAILED, type PowerModel } from "./model.ts";

type ModelVerdict = "MET" | "UNMET" | "UNKNOWN";

/** Redundancy of one device, judged by losing every element in turn. P5, P6. */
function verdict(model: PowerModel, element: string, required: Redundancy, mode: Mode): ModelVerdict {
  const at = model.chassisOf(element) ?? element;
  const inlets = model.inletsOf(at);
  const recorded = model.recordedOf(at);
  if (recorded.length === 0) return "UNKNOWN";
  const base = model.live(situation([], mode));
  const count = (live: ReadonlySet<string>) => recorded.filter(({ source = "" }) => live.has(source)).length;
  const least = model.minLiveOf(at);
  const unknown = inlets.length - recorded.length;
  if (required === "N") return base.has(at) ? "MET" : "UNMET";
  if (required === "N_PLUS_1") {
    if (count(base) >= least + 1) return "MET";
    return unknown > 0 && count(base) + unknown >= least + 1 ? "UNKNOWN" : "UNMET";
  }
  const others = model.elements.filter((one) => one !== at && one !== element);
  const left = Math.min(count(base), ...others.map((lost) => count(model.live(situation([lost], mode)))));
  if (left >= least) return "MET";
  // Taken as live and independent, an unrecorded inlet is itself one that can be lost.
  const best = Math.min(left + unknown, count(base) + unknown - 1);
  return unknown > 0 && best >= least ? "UNKNOWN" : "UNMET";
}

interface ModelDemand {
  readonly code: string;
  readonly required: Redundancy;
  readonly asBuilt: ModelVerdict;
  readonly now: ModelVerdict;
}

/** Verdicts on everything of which redundancy is demanded; a rack's demand is meant for its consumers. */
export function demands(model: PowerModel, { racks }: Inventory): readonly ModelDemand[] {
  return [...model.devices].flatMap(([element, device]): ModelDemand[] => {
    if (!model.isInService(element)) return [];
    const rack = racks.find(({ code }) => code === device.rackCode);
    const own = device.power?.requiredRedundancy;
    const required = model.isConsumer(element) ? (own ?? rack?.requiredRedundancy) : own;
    if (required === undefined || required === "NONE") return [];
    if (model.isPower(element) && model.inletsOf(element).length === 0) return [];
    if (!model.isPower(element) && !model.isConsumer(element)) return [];
    const judged = (mode: Mode) => verdict(model, element, required, mode);
    return [{ code: device.code, required, asBuilt: judged("AS_BUILT"), now: judged("NOW") }];
  });
}

/** Utilization now and after the worst loss of one other element, in percent. P8. */
function failovers(model: PowerModel, basis: LoadBasis) {
  const live = model.live(NOTHING_FAILED);
  const normal = new ModelLoads(model, live, basis);
  const suppliers = model.elements.filter((element) => live.has(element) && suppliesSomething(model, element));
  const after = new Map(
    suppliers.map((lost) => [lost, new ModelLoads(model, model.live(situation([lost])), basis)] as const),
  );
  return new Map(
    model.elements.flatMap((element) => {
      const normalPct = normal.utilizationPct(element);
      if (normalPct === undefined) return [];
      const worst = suppliers
        .filter((lost) => lost !== element)
        .map((lost) => after.get(lost)?.utilizationPct(element) ?? 0);
      const failoverPct = worst.length === 0 ? normalPct : Math.max(...worst);
      return [[element, { normalPct, failoverPct, limitPct: normal.limitPct(element) }] as const];
    }),
  );
}

function suppliesSomething(model: PowerModel, element: string): boolean {
  const outlets = [...model.outlets.values()].some(({ device }) => device === element);
  const things = [...model.devices.keys(), ...model.cracs.keys()];
  return (
    outlets ||
    things.some(
      (one) =>
        model.chassisOf(one) === element ||
        model.recordedOf(one).some(({ source }) => source === element) ||
        [...model.outlets.values()].some(
          ({ device, port }) => device === one && model.boundTo(one, port.powerOut?.inletName) === element,
        ),
    )
  );
}

interface ModelReason {
  readonly code: string;
  readonly ref: string;
  readonly health: "FAULT" | "WATCH" | undefined;
}

/** What the power of a rack says about its health. P3, P5b, P8, P8b. */
export function rackReasons(model: PowerModel, inventory: Inventory, rackCode: string): readonly ModelReason[] {
  const rack = inventory.racks.find(({ code }) => code === rackCode);
  const inside = [...model.devices].filter(([, device]) => device.rackCode === rackCode);
  const live = model.live(NOTHING_FAILED);
  const consumers = inside.filter(([element]) => model.isConsumer(element)).map(([element]) => element);
  const dead = consumers.filter((element) => !live.has(element));
  const codes = new Set(inside.map(([, { code }]) => code));
  const verdicts = demands(model, inventory).filter(({ code }) => codes.has(code));
  const failed = inside.filter(([, { status }]) => status === "FAILED").map(([element]) => element);
  return [
    ...dead.map((element) => ({ code: "NO_LIVE_SUPPLY", ref: refOf(model, element), health: "FAULT" as const })),
    ...redundancyReasons(verdicts, { rack, consumers }),
    ...failed.map((element) => ({
      code: "DEVICE_FAILED",
      ref: refOf(model, element),
      health: feeds(model, element) ? ("FAULT" as const) : ("WATCH" as const),
    })),
    ...undocumentedReason(model, rackCode, consumers),
    ...overloadReasons(model, rackCode),
  ];
}

/** Nobody knows whether a consumer without a recorded supply has power. */
function undocumentedReason(model: PowerModel, rackCode: string, consumers: readonly string[]): readonly ModelReason[] {
  const [first, ...more] = consumers.filter((element) => model.isUndocumented(element));
  if (first === undefined) return [];
  const ref = more.length === 0 ? refOf(model, first) : `rack:${rackCode}`;
  return [{ code: "SUPPLY_UNDOCUMENTED", ref, health: "WATCH" }];
}

function redundancyReasons(
  verdicts: readonly ModelDemand[],
  { rack, consumers }: { readonly rack: Rack | undefined; readonly consumers: readonly string[] },
): readonly ModelReason[] {
  const unmet = verdicts.filter(({ asBuilt, now }) => asBuilt === "UNMET" || (asBuilt === "MET" && now !== "MET"));
  const it = unmet.filter(({ code }) => consumers.includes(`d:${code}`));
  const isWhole = rack !== undefined && it.length > 0 && it.length === consumers.length;
  const single = unmet.filter((one) => !isWhole || !it.includes(one));
  const wholeCode = it.every(({ required }) => required === "TWO_N") ? "ONE_POWER_PATH" : "REDUNDANCY_UNMET";
  return [
    ...(isWhole ? [{ code: wholeCode, ref: `rack:${rack.code}`, health: "FAULT" as const }] : []),
    ...single.map(({ code, asBuilt }) => ({
      code: "REDUNDANCY_UNMET",
      ref: `device:${code}`,
      health: asBuilt === "UNMET" ? ("WATCH" as const) : ("FAULT" as const),
    })),
    ...verdicts
      .filter(({ asBuilt }) => asBuilt === "UNKNOWN")
      .map(({ code }) => ({ code: "REDUNDANCY_UNKNOWN", ref: `device:${code}`, health: "WATCH" as const })),
  ];
}

function overloadReasons(model: PowerModel, rackCode: string): readonly ModelReason[] {
  const found: ModelReason[] = [];
  for (const [element, { normalPct, failoverPct, limitPct }] of failovers(model, "ALLOCATED")) {
    if (!reaches(model, element, rackCode)) continue;
    const ref = refOf(model, element);
    if (normalPct > 100) found.push({ code: "POWER_NORMAL", ref, health: "FAULT" });
    else if (normalPct > limitPct) found.push({ code: "POWER_NORMAL", ref, health: "WATCH" });
    if (failoverPct <= normalPct) continue;
    if (failoverPct > 100) found.push({ code: "POWER_FAILOVER", ref, health: "WATCH" });
    else if (failoverPct > limitPct) found.push({ code: "POWER_FAILOVER", ref, health: undefined });
  }
  return found;
}

/** Whether a device in service of a rack is downstream of an element, or is the element. */
function reaches(model: PowerModel, element: string, rackCode: string): boolean {
  const all = downstream(model, element);
  return [...all].some((one) => model.devices.get(one)?.rackCode === rackCode && model.isInService(one));
}

function downstream(model: PowerModel, element: string): ReadonlySet<string> {
  const found = new Set([element]);
  for (const one of found) {
    for (const [outlet, { device, port }] of model.outlets) {
      if (device === one || model.boundTo(device, port.powerOut?.inletName) === one) found.add(outlet);
    }
    for (const consumer of [...model.devices.keys(), ...model.cracs.keys()]) {
      if (model.chassisOf(consumer) === one || model.recordedOf(consumer).some(({ source }) => source === one)) {
        found.add(consumer);
      }
    }
  }
  return found;
}

/** P8b: something in service is plugged into it or is in its bays. */
function feeds(model: PowerModel, element: string): boolean {
  const own = [element, ...[...model.outlets].filter(([, { device }]) => device === element).map(([outlet]) => outlet)];
  return [...model.devices.keys(), ...model.cracs.keys()].some(
    (one) =>
      model.isInService(one) &&
      (model.chassisOf(one) === element || model.recordedOf(one).some(({ source = "" }) => own.includes(source))),
  );
}

/** The reference of an element as replies write it. */
export function refOf(model: PowerModel, element: string): string {
  const [kind, code] = [element.slice(0, 1), element.slice(2)];
  if (kind === "o") {
    const feedId = model.outlets.get(element)?.port.powerOut?.feedId;
    return feedId === undefined ? `port:${code}` : `feed:${feedId}`;
  }
  return `${{ d: "device", c: "crac", f: "feed" }[kind] ?? ""}:${code}`;
}
