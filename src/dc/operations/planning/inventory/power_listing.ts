import { type CracShare, computeScopeShares } from "#dc/analysis/cooling/thermal.ts";
import { computeBatteryMinutes } from "#dc/analysis/power/battery.ts";
import { computePhaseFigures, findBusiestPhase, type PhaseName } from "#dc/analysis/power/phase_figures.ts";
import { type CarriedLoads, computeUtilization } from "#dc/analysis/power/power_findings.ts";
import type { PowerNode } from "#dc/analysis/power/power_graph.ts";
import { isListedSupply } from "#dc/analysis/power/power_nodes.ts";
import { countUnknownDraws } from "#dc/analysis/power/unknown_draws.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import { compareText, parseRef } from "#dc/model/ref.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import { getRefName } from "#words/names.ts";
import { createLazyGetter } from "./devices_listing.ts";
import { createRoundedCell, createTextCell, type Listing, LOCATION_COLUMNS, splitIntoBatches } from "./listing.ts";

interface SupplyRow {
  readonly index: number;
  readonly node: PowerNode;
  /** The power equipment itself, or the device of the outlet; undefined for a feed that no outlet declares. */
  readonly device: Device | undefined;
}

/**
 * Lists power equipment, feeds, outlets and other devices with a rating, with their loads and phase loads now and after
 * one failure. Requires a judged topology.
 */
export function createPowerListing(topology: Topology): Listing<SupplyRow> {
  const { power, live } = topology;
  const carried = topology.computeCarriedLoads("ALLOCATED");
  const rows = [...power.nodes.entries()]
    .flatMap(([index, node]) => createSupplyRow(topology, index, node) ?? [])
    .sort((a, b) => compareText(a.node.ref.toLowerCase(), b.node.ref.toLowerCase()));
  return {
    getRef: ({ node }) => node.ref,
    getName: ({ node }) => getRefName(node.ref),
    columns: {
      kind: ({ node, device }) =>
        node.kind === "DEVICE" ? device?.kind : node.ref.startsWith("feed:") ? "FEED" : "OUTLET",
      status: ({ device }) => device?.status ?? (device === undefined ? undefined : "ACTIVE"),
      power: ({ index }) => (live[index] === 1 ? "LIVE" : "DEAD"),
      side: ({ device }) => createTextCell(device?.power?.powerPath),
      load_w: ({ index }) => createRoundedCell(carried.loads.watts[index]),
      capacity_w: ({ node }) => node.capacityW,
      load_pct: ({ index }) => createRoundedCell(computeUtilization(carried, index)?.normalPct),
      failover_w: ({ index }) => createRoundedCell(carried.failover.loads[index]),
      failover_pct: ({ index }) => createRoundedCell(computeUtilization(carried, index)?.failoverPct),
      failover_ref: ({ index }) => createTextCell(power.nodes[carried.failover.lost[index] ?? -1]?.ref),
      limit_pct: ({ index }) => computeUtilization(carried, index)?.limitPct,
      ...createPhaseColumns(carried),
      battery_min: ({ index, node }) => createRoundedCell(computeBatteryMinutes(node, carried.loads.watts[index] ?? 0)),
      battery_failover_min: ({ index, node }) =>
        createRoundedCell(computeBatteryMinutes(node, carried.failover.loads[index] ?? 0)),
      consumers: ({ index }) => power.supplies.count(index),
      consumers_without_draw: ({ index }) => countUnknownDraws(power, index),
      site: ({ device }) => device && LOCATION_COLUMNS.site(device),
      floor: ({ device }) => device && LOCATION_COLUMNS.floor(device),
      room: ({ device }) => device && LOCATION_COLUMNS.room(device),
      rack: ({ device }) => createTextCell(device?.rackCode),
      source: ({ node }) => (node.kind === "OUTLET" ? `${node.end.deviceCode}/${node.end.portName}` : undefined),
    },
    readBatches: () => splitIntoBatches(rows),
    total: rows.length,
  };
}

/** Returns columns for the phase loads of feeds and outlets in volt-amperes, and for the most loaded phase. */
function createPhaseColumns(carried: CarriedLoads) {
  const findPhase = ({ index }: SupplyRow, leg: PhaseName) =>
    computePhaseFigures(carried, index).find((phase) => phase.leg === leg);
  return {
    phase_a_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "A")?.loadVa),
    phase_b_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "B")?.loadVa),
    phase_c_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "C")?.loadVa),
    worst_leg: ({ index }: SupplyRow) => findBusiestPhase(computePhaseFigures(carried, index), "loadVa"),
    failover_phase_a_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "A")?.failoverVa),
    failover_phase_b_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "B")?.failoverVa),
    failover_phase_c_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "C")?.failoverVa),
    failover_worst_leg: ({ index }: SupplyRow) => findBusiestPhase(computePhaseFigures(carried, index), "failoverVa"),
  };
}

function createSupplyRow(topology: Topology, index: number, node: PowerNode): SupplyRow | undefined {
  if (!isListedSupply(node)) return undefined;
  if (node.kind === "DEVICE") return { index, node, device: node.device };
  return { index, node, device: node.kind === "OUTLET" ? topology.device(node.end.deviceCode) : undefined };
}

/** Lists cooling units with their heat load. */
export function createCoolingListing(topology: Topology): Listing<Crac> {
  const shares = createLazyGetter(() => computeCracSharesByKey(topology));
  const share = ({ code }: Crac) => shares().get(codeKey(code));
  return {
    getRef: ({ code }) => `crac:${code}`,
    getName: ({ code }) => code,
    columns: {
      name: ({ name }) => createTextCell(name),
      kind: ({ kind }) => kind,
      status: ({ status = "ACTIVE" }) => status,
      medium: ({ medium, kind }) => medium ?? (kind === "CDU" ? "LIQUID" : "AIR"),
      heat_rejection: ({ heatRejection = "FACILITY" }) => heatRejection,
      ...LOCATION_COLUMNS,
      rack: ({ rackCode }) => createTextCell(rackCode),
      serves: ({ serves = [] }) => createTextCell(serves.join(", ")),
      load_kw: (crac) => createRoundedCell(share(crac)?.loadKw),
      effective_kw: (crac) => createRoundedCell(share(crac)?.effectiveKw),
      rated_kw: ({ sensibleCapacityKw }) => sensibleCapacityKw,
      // A unit that does not run has no usable capacity.
      load_pct: (crac) =>
        (share(crac)?.effectiveKw ?? 0) > 0 ? createRoundedCell(share(crac)?.utilizationPct) : undefined,
      redundancy_group: ({ redundancyGroup }) => createTextCell(redundancyGroup),
      supply_temp_c: ({ supplyTempC }) => supplyTempC,
      return_temp_c: ({ returnTempC }) => returnTempC,
      manufacturer: ({ manufacturer }) => createTextCell(manufacturer),
      model: ({ model }) => createTextCell(model),
      serial: ({ serial }) => createTextCell(serial),
    },
    readBatches: () => splitIntoBatches(topology.inventory.cracs),
    total: topology.inventory.cracs.length,
  };
}

/** Returns the heat shares of all cooling units. The analysis runs per site, because a unit serves only its site. */
function computeCracSharesByKey(topology: Topology): ReadonlyMap<string, CracShare> {
  const sites = new Set(topology.inventory.cracs.flatMap(({ location }) => location?.siteId ?? []));
  const found = new Map<string, CracShare>();
  for (const site of sites) {
    const scope = parseRef(`site:${site}`);
    if (scope === undefined) continue;
    for (const share of computeScopeShares(topology, scope, {
      basis: "ALLOCATED",
      reserveUnits: 0,
      failedCracCodes: [],
    })) {
      found.set(codeKey(share.crac.code), share);
    }
  }
  return found;
}
