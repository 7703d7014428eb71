import type { PlaceFigures as FigureReply, Finding } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { formatTenths } from "#words/figures.ts";
import { describeFailoverOverload, describeNearLimit, describePhaseImbalance } from "#words/names.ts";
import { isReservationInForce } from "../../model/rack_space.ts";
import { formatPortReference } from "../../model/ref.ts";
import type { Device } from "../../model/resources.ts";
import { listNodeLoadReasons } from "../power/power_failover.ts";
import { areLegLoadsUneven, listDeviceNodes, sumLegLoads } from "../power/power_figures.ts";
import type { PowerGraph } from "../power/power_nodes.ts";
import type { HealthReason } from "../racks/rack_elevation.ts";
import { type CoolingGroup, computeGroupHeadroom } from "./cooling_limits.ts";
import type { Placement, SelectedPlace } from "./find_places.ts";
import type { Limit, PlacementRequest, RefusalReason } from "./limits.ts";

/** A warning that a write of the placement would cause, or a notice of data that the inventory lacks. */
type PlacementNotice = Pick<Finding, "severity" | "code" | "message"> & Partial<Finding>;

/** Lists all warnings that writing a placement would cause, and notices of data that the inventory lacks. */
export function* listPlacementNotices(placement: Placement): Steps<readonly PlacementNotice[]> {
  const { places, state } = placement;
  if (places.length === 0) return [];
  const found: PlacementNotice[] = [...listReservedUnits(placement), ...listGroupsWithoutReserve(places)];
  found.push(...(yield* listEquipmentWarnings(placement)));
  const { template, airW, inlets } = state.request;
  if (template.weightKg === undefined) {
    found.push(
      createUnknownNotice(
        "WEIGHT_UNKNOWN",
        "weight_kg",
        "The devices' weight is not recorded, so no rack's load is checked",
      ),
    );
  }
  if (airW > 0 && places.some(({ candidate }) => candidate.cooling.air === undefined)) {
    found.push(createUnknownNotice("COOLING_UNKNOWN", "", "Some racks are in sites without a recorded cooling unit"));
  }
  if (inlets.length === 0)
    found.push(createUnknownNotice("SUPPLY_UNKNOWN", "inlets", "The devices have no power inlets"));
  return [...new Map(found.map((one) => [`${one.code} ${one.ref}`, one])).values()];
}

/** Lists warnings about upstream equipment, also about outlets that the placement does not use. */
function* listEquipmentWarnings(placement: Placement): Steps<readonly PlacementNotice[]> {
  const { carried, graph } = placement.state.state;
  const added = sumAddedLoads(placement);
  const found: PlacementNotice[] = [];
  for (const device of collectUpstreamEquipment(placement)) {
    yield;
    const elements = listDeviceNodes(graph, device);
    for (const index of elements) {
      found.push(...listNodeLoadReasons(carried, index).flatMap((reason) => listLimitWarnings(graph, index, reason)));
    }
    const loads = elements.map((index) => (carried.loads.watts[index] ?? 0) + (added.get(index) ?? 0));
    if (!areLegLoadsUneven(sumLegLoads(graph, elements, loads))) continue;
    const ref = `device:${device.code}`;
    found.push({
      severity: "WARNING",
      code: "PHASE_IMBALANCE",
      field: "ports",
      message: describePhaseImbalance(ref),
      ref,
    });
  }
  return found;
}

function listLimitWarnings(
  graph: PowerGraph,
  index: number,
  { code, value = 0, limit = 0 }: HealthReason,
): PlacementNotice[] {
  const node = graph.nodes[index];
  const ref = node?.kind === "OUTLET" ? formatPortReference(node.end) : (node?.ref ?? "");
  const figures = { value: `${Math.round(value)} %`, expected: `at most ${limit} %`, field: "ports", ref };
  if (code === "POWER_NORMAL") {
    return [{ ...figures, severity: "WARNING", code: "SOURCE_NEAR_LIMIT", message: describeNearLimit(ref, limit) }];
  }
  if (limit < 100) return [];
  return [{ ...figures, severity: "WARNING", code: "FAILOVER_OVERLOAD", message: describeFailoverOverload(ref) }];
}

function collectUpstreamEquipment({ places, state }: Placement): ReadonlySet<Device> {
  const paths = new Set(places.flatMap(({ option }) => option.pair.map(({ tap }) => tap.path)));
  const found = new Set<Device>();
  for (const path of paths) {
    for (const index of path.keys()) {
      const node = state.state.graph.nodes[index];
      if (node?.kind === "DEVICE") found.add(node.device);
    }
  }
  return found;
}

/** Sums the additional load of outlets in watts: of the outlets that the devices use, and of outlets upstream. */
function sumAddedLoads({ places, state }: Placement): ReadonlyMap<number, number> {
  const { drawW, inlets } = state.request;
  const added = new Map<number, number>();
  const addLoad = (index: number, watts: number) => added.set(index, (added.get(index) ?? 0) + watts);
  for (const { allocation } of places) {
    for (const { side, outlet } of allocation.plugs) {
      const watts = drawW / inlets.length;
      if (outlet !== undefined) addLoad(outlet.index, watts);
      for (const [index, share] of side.tap.path) addLoad(index, watts * share);
    }
  }
  return added;
}

function listReservedUnits({ places, state }: Placement): readonly PlacementNotice[] {
  const { tenant, uHeight, now } = state.request;
  if (tenant === undefined) return [];
  return places.flatMap(({ candidate: { rack }, allocation: { position } }): PlacementNotice[] => {
    const isOwn = (rack.reservations ?? []).some(
      (one) =>
        one.owner === tenant &&
        isReservationInForce(one, now) &&
        one.units.some((u) => u < position + uHeight && u + 1 > position),
    );
    if (!isOwn) return [];
    const message = `Units of rack "${rack.code}" are reserved for "${tenant}" itself`;
    const ref = `rack:${rack.code}`;
    return [{ severity: "WARNING", code: "UNIT_RESERVED_BY_OWNER", field: "position_u", message, ref }];
  });
}

function listGroupsWithoutReserve(places: readonly SelectedPlace[]): readonly PlacementNotice[] {
  const groups = new Set<CoolingGroup>();
  for (const { candidate, option } of places) {
    const used = new Set(option.uses.map(({ limit }) => limit));
    for (const group of [candidate.cooling.air, candidate.cooling.liquid]) {
      if (group?.lacksReserve === true && used.has(group.reserve)) groups.add(group);
    }
  }
  return [...groups].map(({ units, reserve }) => {
    const codes = units.map(({ code }) => code).join(", ");
    const short = (reserve.used - reserve.capacity) / 1000;
    return {
      severity: "WARNING" as const,
      code: "ZONE_WITHOUT_RESERVE" as const,
      message: `The places of ${codes} have no reserve: without the largest unit they are ${formatTenths(short)} kW short`,
      value: `${formatTenths(reserve.used / 1000)} kW`,
      expected: `at most ${formatTenths(reserve.capacity / 1000)} kW`,
      ref: `crac:${units[0]?.code ?? ""}`,
    };
  });
}

function createUnknownNotice(code: PlacementNotice["code"], field: string, message: string): PlacementNotice {
  return { severity: "INFO", code, field, message };
}

/** Figures of a position after the whole placement is written; a figure is absent if the inventory lacks the data. */
export type PlaceFigures = Omit<FigureReply, "powerNowRef" | "powerFailoverRef"> &
  Partial<Pick<FigureReply, "powerNowRef" | "powerFailoverRef">>;

export function computePlaceFigures(
  { candidate, option }: SelectedPlace,
  { template }: PlacementRequest,
): PlaceFigures {
  const { limits, units, cooling, pool } = candidate;
  const supplies = option.uses.map(({ limit }) => limit);
  const now = findBusiestLimit(supplies, "SUPPLY_LIMIT");
  const alone = findBusiestLimit(supplies, "SUPPLY_FAILOVER");
  const air = cooling.air === undefined ? undefined : computeGroupHeadroom(cooling.air);
  const liquid = cooling.liquid === undefined ? undefined : computeGroupHeadroom(cooling.liquid);
  return {
    ...(now !== undefined && { powerNowPct: now.usedPct, powerNowRef: now.ref }),
    ...(alone !== undefined && { powerFailoverPct: alone.usedPct, powerFailoverRef: alone.ref }),
    rackDrawW: limits.power.used,
    ...(hasCapacity(limits.power) && { rackPowerPct: limits.power.usedPct }),
    ...(hasCapacity(limits.cooling) && { rackCoolingPct: limits.cooling.usedPct }),
    ...(air !== undefined && { airHeadroomKw: air.allKw, airReserveKw: air.reserveKw }),
    ...(liquid !== undefined && { liquidHeadroomKw: liquid.allKw, liquidReserveKw: liquid.reserveKw }),
    freeU: units.freeU,
    largestFreeBlockU: units.largestFreeBlockU,
    weightKg: limits.weight.used,
    ...(hasCapacity(limits.weight) && template.weightKg !== undefined && { weightPct: limits.weight.usedPct }),
    ...(pool !== undefined && {
      freePorts: pool.uses.reduce((sum, { limit }) => sum + Math.max(0, limit.maxUse - limit.used), 0),
    }),
  };
}

function findBusiestLimit(limits: readonly Limit[], reason: RefusalReason): Limit | undefined {
  return limits
    .filter((limit) => limit.reason === reason)
    .reduce<Limit | undefined>(
      (most, one) => (most === undefined || one.usedPct > most.usedPct ? one : most),
      undefined,
    );
}

function hasCapacity({ capacity }: Limit): boolean {
  return Number.isFinite(capacity) && capacity > 0;
}
