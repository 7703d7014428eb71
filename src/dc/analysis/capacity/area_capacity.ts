import type { AreaCapacity, FreeCooling, FreePorts, FreePower as FreeSupply } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { getDrawW, isPowerKind } from "../../model/draw.ts";
import type { CoolingMedium, LoadBasis } from "../../model/enum_values.ts";
import { lacksDraw } from "../../model/rack_space.ts";
import { codeKey, compareText, formatRef, parseRef, type Ref, toRefKey } from "../../model/ref.ts";
import { type Crac, type Device, isInService } from "../../model/resources.ts";
import type { DevicePort } from "../cabling/trace_site.ts";
import { CoolingBalance } from "../cooling/cooling_balance.ts";
import { getMedium, listServedAreas, mapServedRefs } from "../cooling/cooling_units.ts";
import { hasHeadroom } from "../cooling/thermal_spots.ts";
import type { SupplyLoadState } from "../placement/limits.ts";
import { formatAreaKey, isLocatedIn, selectRacksIn } from "../places.ts";
import type { RackCapacity } from "../racks/rack_elevation.ts";
import type { Topology } from "../topology.ts";
import { computeFreePower, type ReachedLimit, type SuppliedRack } from "./free_power.ts";

export interface CapacityInput {
  readonly topology: Topology;
  readonly state: SupplyLoadState;
  /** Racks that accept devices, by key. */
  readonly racks: ReadonlyMap<string, SuppliedRack>;
  readonly cooling: AreaCooling;
  /** Free ports of switches, by the key of the device. */
  readonly switchPorts: ReadonlyMap<string, readonly DevicePort[]>;
  readonly basis: LoadBasis;
  /** Measured part of the draw of each consumer in watts, by node. */
  readonly measuredW: ReadonlyMap<number, number> | undefined;
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

/** Computes the free capacity of an area. Cost: its racks, devices, and the limits upstream of its racks. */
export function* computeAreaCapacity(input: CapacityInput, area: Ref): Steps<AreaCapacity> {
  const { topology, basis, now } = input;
  const { racks, devices } = topology.inventory;
  const all = selectRacksIn(racks, area);
  const open = all.flatMap(({ code }) => input.racks.get(codeKey(code)) ?? []);
  const inside = devices.filter((device) => isLocatedIn(device, area));
  const rackCapacities: RackCapacity[] = [];
  for (const { rack } of open) {
    yield;
    rackCapacities.push(topology.computeRackStanding(rack, { basis, now }).elevation.capacity);
  }
  const block = Math.max(0, ...rackCapacities.map(({ largestFreeBlockU }) => largestFreeBlockU));
  const outlets = new Set(open.flatMap(({ taps }) => taps));
  const ports = [
    ...inside.flatMap(({ code }) => input.switchPorts.get(codeKey(code)) ?? []),
    ...[...outlets].flatMap(({ device, outlets: free = [] }) => free.map(({ port }) => ({ device, port }))),
  ];
  return {
    ref: formatRef(area),
    racks: open.length,
    racksOutOfUse: all.length - open.length,
    racksWithoutSupply: open.filter(({ supplyPaths }) => supplyPaths.length === 0).length,
    totalU: rackCapacities.reduce((sum, { totalU }) => sum + totalU, 0),
    freeU: rackCapacities.reduce((sum, { freeU }) => sum + freeU, 0),
    largestFreeBlockU: block,
    largestFreeBlockRack:
      open[rackCapacities.findIndex(({ largestFreeBlockU }) => largestFreeBlockU === block)]?.rack.code ?? "",
    drawKw: inside.reduce((sum, device) => sum + (isInService(device) ? (getDrawW(device, basis) ?? 0) : 0), 0) / 1000,
    devicesWithoutDraw: inside.filter(lacksDraw).length,
    measuredDrawKw: sumMeasuredKw(input, inside),
    power: isSupplyRecorded(topology, open) ? yield* computeFreeSupply(input.state, open) : UNKNOWN_SUPPLY,
    air: yield* input.cooling.computeFreeCooling(area, "AIR"),
    liquid: yield* input.cooling.computeFreeCooling(area, "LIQUID"),
    ports: yield* countFreePortsByType(topology, ports),
  };
}

function sumMeasuredKw({ topology, measuredW }: CapacityInput, devices: readonly Device[]): number | undefined {
  if (measuredW === undefined) return undefined;
  const getMeasuredW = ({ code }: Device) =>
    measuredW.get(topology.power.indexOf.get(`device:${codeKey(code)}`) ?? -1) ?? 0;
  return devices.reduce((sum, device) => sum + (isInService(device) ? getMeasuredW(device) : 0), 0) / 1000;
}

const UNKNOWN_SUPPLY: FreeSupply = { limitRef: "", failoverLimitRef: "", failureRef: "" };

/** Whether any of some racks has recorded power equipment, or a device with a recorded supply. True without racks. */
function isSupplyRecorded(topology: Topology, racks: readonly SuppliedRack[]): boolean {
  return (
    racks.length === 0 ||
    racks.some(({ rack, supplyPaths }) => {
      if (supplyPaths.length > 0 || topology.rackSupply(rack.code).judged > 0) return true;
      return topology.listDevicesInRack(rack.code).some(({ kind }) => isPowerKind(kind));
    })
  );
}

function* computeFreeSupply(state: SupplyLoadState, racks: readonly SuppliedRack[]): Steps<FreeSupply> {
  const supplied = racks.filter(({ supplyPaths }) => supplyPaths.length > 0);
  const now = yield* computeFreePower(supplied, "NOW");
  const later = yield* computeFreePower(supplied, "AFTER_FAILURE");
  return {
    freeKw: now.watts === undefined ? undefined : now.watts / 1000,
    limitRef: now.reachedLimit?.limit.ref ?? "",
    failoverFreeKw: later.watts === undefined ? undefined : later.watts / 1000,
    failoverLimitRef: later.reachedLimit?.limit.ref ?? "",
    failureRef: (later.reachedLimit && getFailureRef(state, later.reachedLimit)) ?? "",
  };
}

function getFailureRef({ graph, carried }: SupplyLoadState, { limit, loss }: ReachedLimit): string | undefined {
  if (limit.reason !== "SUPPLY_FAILOVER") return undefined;
  const index = graph.indexOf.get(toRefKey(limit.ref)) ?? -1;
  return graph.nodes[loss >= 0 ? loss : (carried.failover.lost[index] ?? -1)]?.ref;
}

/** Maximum number of areas that are listed as short. */
const MAX_SHORT_AREAS = 10;

interface CoolingFailure {
  readonly ref: string;
  readonly lost: ReadonlySet<string>;
  readonly balance: CoolingBalance;
}

/**
 * Computes the cooling headroom of areas now and after the worst single failure of a unit or of a supply of units. The
 * headroom now equals that of ThermalHeadroom without a reserve.
 */
export class AreaCooling {
  readonly #currentBalance: CoolingBalance;
  readonly #failures: readonly CoolingFailure[];
  readonly #mixesMedia: boolean;
  readonly #servedRefs: ReadonlyMap<string, string>;

  constructor(topology: Topology, basis: LoadBasis) {
    const { cracs } = topology.inventory;
    const balance = (failedCracCodes: readonly string[]) =>
      new CoolingBalance(topology, { basis, reserveUnits: 0, failedCracCodes });
    this.#currentBalance = balance([]);
    this.#servedRefs = mapServedRefs(cracs);
    // If a unit rejects the heat of liquid into the air, the loss of liquid units changes the load of air units.
    this.#mixesMedia = cracs.some(({ heatRejection }) => heatRejection === "AIR");
    const failures = new Map<string, CoolingFailure>();
    for (const { ref, lost } of listSharedLosses(topology, cracs, ({ code }) => `crac:${codeKey(code)}`)) {
      const codes = lost.map(({ code }) => codeKey(code));
      const key = codes.toSorted(compareText).join();
      if (!failures.has(key)) failures.set(key, { ref, lost: new Set(codes), balance: balance(codes) });
    }
    this.#failures = [...failures.values()];
  }

  /** Returns the headroom of an area, and the best of several in it; undefined without a recorded unit of the medium. */
  *computeFreeCooling(area: Ref, medium: CoolingMedium): Steps<FreeCooling | undefined> {
    const units = this.#currentBalance.listServingUnits(area);
    const own = units.filter((crac) => getMedium(crac) === medium);
    if (own.length === 0) return undefined;
    const found: { readonly ref: string; readonly leftKw: number }[] = [];
    const served = this.#listServedParts(area, own);
    // Parts are compared with each other, so one alone is not listed.
    for (const part of served.length > 1 ? served : []) {
      if (this.#isHeatUnknown(part, medium)) continue;
      const partUnits = this.#currentBalance.listServingUnits(part);
      const { failoverFreeKw: leftKw } = yield* this.#computeHeadroom(part, medium, partUnits);
      found.push({ ref: formatRef(part), leftKw });
    }
    found.sort((a, b) => b.leftKw - a.leftKw || compareText(a.ref, b.ref));
    const [best] = found;
    const short = found.filter(({ leftKw }) => !hasHeadroom({ headroomKw: leftKw })).reverse();
    return {
      ...(yield* this.#computeHeadroom(area, medium, units)),
      bestRef: best?.ref ?? "",
      bestFailoverFreeKw: best?.leftKw ?? 0,
      shortRefs: short.slice(0, MAX_SHORT_AREAS).map(({ ref }) => ref),
      omittedShortRefs: Math.max(0, short.length - MAX_SHORT_AREAS),
      heatNotRecorded: this.#isHeatUnknown(area, medium),
    };
  }

  /** Whether no heat is recorded in an area, nor elsewhere of what its units carry, although devices are. */
  #isHeatUnknown(area: Ref, medium: CoolingMedium): boolean {
    const balance = this.#currentBalance;
    const units = balance.listServingUnits(area).filter((crac) => getMedium(crac) === medium);
    if (!units.some((crac) => balance.countUnitDevicesWithoutHeat(crac) > 0)) return false;
    return (
      balance.computeBalance(area, medium, units).heatKw === 0 &&
      units.every((crac) => balance.computeUnitLoadKw(crac) === 0)
    );
  }

  /** Returns the areas that units serve and that contain some, but not all, of an area's locations and no others. */
  #listServedParts(area: Ref, units: readonly Crac[]): readonly Ref[] {
    const whole = new Set(this.#currentBalance.listLocationsInArea(formatAreaKey(area)));
    const served = new Set(units.flatMap(listServedAreas));
    return [...served].flatMap((text) => {
      const places = this.#currentBalance.listLocationsInArea(text);
      const isPart = places.length > 0 && places.length < whole.size && places.every((at) => whole.has(at));
      return (isPart && parseRef(this.#servedRefs.get(text) as string)) || [];
    });
  }

  *#computeHeadroom(
    area: Ref,
    medium: CoolingMedium,
    units: readonly Crac[],
  ): Steps<Pick<FreeCooling, "freeKw" | "failoverFreeKw" | "failureRef">> {
    const { headroomKw: freeKw } = this.#currentBalance.computeBalance(area, medium, units);
    const concerned = this.#listAffectingUnitKeys(units, area);
    let [failoverFreeKw, failureRef] = [freeKw, ""];
    for (const { ref, lost, balance } of this.#failures) {
      if (!concerned.some((key) => lost.has(key))) continue;
      yield;
      const { headroomKw } = balance.computeBalance(area, medium, units);
      if (headroomKw < failoverFreeKw) [failoverFreeKw, failureRef] = [headroomKw, ref];
    }
    return { freeKw, failoverFreeKw, failureRef };
  }

  /** Lists keys of units whose loss may affect an area: its units, and units that share a served location with them. */
  #listAffectingUnitKeys(units: readonly Crac[], area: Ref): readonly string[] {
    if (this.#mixesMedia) return [...new Set(this.#failures.flatMap(({ lost }) => [...lost]))];
    const places = new Set(
      [formatAreaKey(area), ...units.flatMap(listServedAreas)].flatMap((key) =>
        this.#currentBalance.listLocationsInArea(key),
      ),
    );
    const found = new Set(units);
    for (const at of places) {
      for (const crac of Object.values(this.#currentBalance.groupUnitsAtLocation(at)).flat()) found.add(crac);
    }
    return [...found].map(({ code }) => codeKey(code));
  }
}

/** Counts free ports by kind, type and speed. Ports of devices without power are not counted. */
export function* countFreePortsByType(topology: Topology, ports: readonly DevicePort[]): Steps<readonly FreePorts[]> {
  const { power, live } = topology;
  const formatNodeKey = ({ device }: DevicePort) => `device:${codeKey(device.code)}`;
  const isLive = (one: DevicePort) => live[power.indexOf.get(formatNodeKey(one)) ?? -1] === 1;
  const alike = Map.groupBy(
    ports.filter(isLive),
    ({ port }) => `${port.kind} ${port.type ?? ""} ${port.speedMbps ?? 0}`,
  );
  const found: FreePorts[] = [];
  for (const [, own] of [...alike].sort(([a], [b]) => compareText(a, b))) {
    const [first] = own;
    if (first === undefined) continue;
    yield;
    const { kind, type = "", speedMbps } = first.port;
    let [most, failureRef] = [0, ""];
    for (const { ref, lost } of listSharedLosses(topology, own, formatNodeKey)) {
      if (lost.length > most) [most, failureRef] = [lost.length, ref];
    }
    const counts = { free: own.length, failoverFree: own.length - most, failureRef };
    found.push({ kind, type, ...(speedMbps !== undefined && { speedMbps }), ...counts });
  }
  return found;
}

/** Items that one failure turns off. */
interface SharedLoss<Item> {
  readonly ref: string;
  readonly lost: readonly Item[];
}

/**
 * Lists every single failure that turns off items: the failure of an item's own element, and failures of elements whose
 * loss alone turns this element off. Sorted by reference.
 * @param keyOf returns the key of an item in the power graph
 */
function listSharedLosses<Item>(
  { power, killers }: Topology,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly SharedLoss<Item>[] {
  const found = new Map<number, Item[]>();
  for (const item of items) {
    const own = power.indexOf.get(keyOf(item));
    if (own === undefined) continue;
    for (const index of new Set([own, ...(killers.findKillers(own) ?? [])])) found.getOrInsert(index, []).push(item);
  }
  return [...found]
    .map(([index, lost]) => ({ ref: power.nodes[index]?.ref ?? "", lost }))
    .sort((a, b) => compareText(a.ref, b.ref));
}
