import { getOwnDrawW } from "#dc/analysis/power/load_lanes.ts";
import { computeFailover } from "#dc/analysis/power/power_failover.ts";
import { PowerFigures } from "#dc/analysis/power/power_figures.ts";
import { type CarriedLoads, listNodeLoadReasons } from "#dc/analysis/power/power_findings.ts";
import type { PowerGraph } from "#dc/analysis/power/power_graph.ts";
import { buildPowerGraph } from "#dc/analysis/power/power_graph_editor.ts";
import {
  areLegLoadsUneven,
  listDeviceNodes as elementsOfDevice,
  PHASE_IMBALANCE_PCT,
  sumLegLoads,
} from "#dc/analysis/power/power_phases.ts";
import { collectDownstream } from "#dc/analysis/power/power_reach.ts";
import { isRedundancyUnmet } from "#dc/analysis/power/redundancy_audit.ts";
import { codeKey } from "#dc/model/code.ts";
import { roundFigure } from "#dc/model/figure.ts";
import { createWarning, type WarningFinding } from "#dc/model/finding.ts";
import { formatPortReference } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import type { SiteReader } from "#dc/model/site.ts";
import { describeFailoverOverload, describeNearLimit, describePhaseImbalance } from "#words/names.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { PowerSurroundings } from "./power_surroundings.ts";

/** Load basis of warnings: writes are planned with allocated draws. */
const WARNING_LOAD_BASIS = "ALLOCATED";

/** Returns the warnings about a device, after everything of a call is written. */
export type FindWarnings = (code: string) => readonly WarningFinding[];

/**
 * Checks the supply of written devices and the loads of everything upstream, with the same functions as the analyses.
 * The warnings of a device are sorted by distance of the supply.
 * @param budget number of devices that may be read downstream; a supply with more gets no warnings
 */
export async function findPowerWarnings(
  site: SiteReader,
  codes: readonly string[],
  budget: number,
): Promise<FindWarnings> {
  const around = new PowerSurroundings(site, budget);
  const keys = codes.map(codeKey);
  const concerned = await around.readUpstream(keys);
  const suppliesOf = new Map<string, readonly string[]>();
  const scheduler = CooperativeScheduler.createForWrite();
  for (const key of keys) {
    await scheduler.yieldIfDue();
    suppliesOf.set(key, keys.length === 1 ? concerned : await around.readUpstream([key]));
  }
  const loads = await checkDownstreamLoads(around, new Set([...suppliesOf.values()].flat()));
  return (code) => {
    const key = codeKey(code);
    const supplies = suppliesOf.get(key) ?? [];
    return [
      ...listRedundancyWarnings(around.findDevice(key), loads.figures),
      ...supplies.flatMap((supply) => loads.findWarnings(supply)),
    ];
  };
}

interface LoadWarnings {
  readonly figures: PowerFigures;
  readonly findWarnings: FindWarnings;
}

/** Checks everything downstream of each supply. A supply with too many devices downstream gets no warnings. */
async function checkDownstreamLoads(around: PowerSurroundings, supplies: ReadonlySet<string>): Promise<LoadWarnings> {
  const judged: string[] = [];
  const below = new Set(supplies);
  const scheduler = CooperativeScheduler.createForWrite();
  for (const key of supplies) {
    await scheduler.yieldIfDue();
    if (!hasRating(around.findDevice(key))) continue;
    const found = await around.readDownstream(key);
    if (found === undefined) continue;
    judged.push(key);
    for (const one of found) below.add(one);
  }
  // Includes the consumers' other supplies, because their loss shifts load to the checked supplies.
  const graph = buildPowerGraph(around.buildInventory(await around.readUpstream(below)));
  const figures = new PowerFigures(graph);
  const elements = new Map(judged.map((key) => [key, listElementsOfDevice(graph, key)]));
  const wanted: number[] = [];
  for (const index of [...elements.values()].flat()) {
    await scheduler.yieldIfDue();
    if (canOverloadSupply(graph, index)) wanted.push(index);
  }
  const loads = figures.getLoads(WARNING_LOAD_BASIS);
  const losses = computeFailover({ graph, live: figures.live, loads, basis: WARNING_LOAD_BASIS, wanted });
  const carried = { graph, loads, failover: await scheduler.run(losses) };
  const found = new Map(
    judged.map((key) => {
      const own = elements.get(key) ?? [];
      return [
        key,
        [...own.flatMap((index) => listOverloadWarnings(carried, index)), ...listPhaseWarnings(carried, own)],
      ];
    }),
  );
  return { figures, findWarnings: (key) => found.get(key) ?? [] };
}

function hasRating(device: Device | undefined): boolean {
  return device?.power?.capacityW !== undefined || (device?.ports ?? []).some(({ powerOut }) => powerOut !== undefined);
}

function listElementsOfDevice(graph: PowerGraph, key: string): readonly number[] {
  const node = graph.nodes[graph.indexOf.get(`device:${key}`) ?? -1];
  return node?.kind === "DEVICE" ? elementsOfDevice(graph, node.device) : [];
}

/**
 * Whether everything downstream of an element exceeds its capacity. A failure cannot shift more load to it. If outlets
 * record their phases, all load may be on one phase.
 */
function canOverloadSupply(graph: PowerGraph, start: number): boolean {
  const node = graph.nodes[start];
  if (node?.capacityW === undefined) return false;
  let sum = 0;
  let phases = 1;
  for (const index of collectDownstream(graph, [start])) {
    const consumer = graph.nodes[index];
    const factor = (consumer?.kind === "DEVICE" ? consumer.device.powerFactor : undefined) ?? 1;
    sum += getOwnDrawW(graph, index, WARNING_LOAD_BASIS) / factor;
    if (consumer?.kind === "OUTLET" && consumer.leg !== undefined) phases = 3;
  }
  return roundFigure(node.kind === "OUTLET" && node.isThreePhase ? phases * sum : sum) > node.capacityW;
}

function listRedundancyWarnings(device: Device | undefined, figures: PowerFigures): readonly WarningFinding[] {
  const required = device?.power?.requiredRedundancy;
  if (device === undefined || required === undefined) return [];
  if (!figures.redundancy.listVerdicts(undefined, [device]).some(isRedundancyUnmet)) return [];
  return [
    createWarning("REDUNDANCY_UNMET", "power.required_redundancy", `The supply does not give redundancy ${required}`, {
      value: `${(device.ports ?? []).filter(({ kind }) => kind === "POWER_IN").length} inlets`,
      expected: required,
      ref: `device:${device.code}`,
    }),
  ];
}

function listOverloadWarnings(carried: CarriedLoads, index: number): readonly WarningFinding[] {
  const { graph } = carried;
  const node = graph.nodes[index];
  const { capacityW = 0, maxUtilizationPct = 0 } = node ?? {};
  // Names an outlet by its port, even if the node has the reference of the feed that the outlet declares.
  const ref = node?.kind === "OUTLET" ? formatPortReference(node.end) : (node?.ref ?? "");
  const unit = node?.kind === "OUTLET" && graph.isApparent ? "VA" : "W";
  const figure = (pct: number) => `${Math.round((pct * capacityW) / 100)} ${unit}`;
  return listNodeLoadReasons(carried, index).flatMap(({ code, value = 0, limit = 0 }) => {
    if (code === "POWER_NORMAL") {
      return [
        createWarning("SOURCE_NEAR_LIMIT", "ports", describeNearLimit(ref, maxUtilizationPct), {
          value: figure(value),
          expected: `at most ${figure(maxUtilizationPct)}`,
          ref,
        }),
      ];
    }
    if (limit < 100) return [];
    return [
      createWarning("FAILOVER_OVERLOAD", "ports", describeFailoverOverload(ref), {
        value: figure(value),
        expected: `at most ${figure(100)}`,
        ref,
      }),
    ];
  });
}

/** Warns if the three phases of equipment differ too much. Only outlets that record their legs count. */
function listPhaseWarnings(
  { graph, loads: { watts } }: CarriedLoads,
  elements: readonly number[],
): readonly WarningFinding[] {
  const legs = sumLegLoads(
    graph,
    elements,
    elements.map((index) => watts[index] ?? 0),
  );
  if (!areLegLoadsUneven(legs)) return [];
  const ref = graph.nodes[elements[0] ?? -1]?.ref ?? "";
  return [
    createWarning("PHASE_IMBALANCE", "ports", describePhaseImbalance(ref), {
      value: `${Math.round(legs.A)}, ${Math.round(legs.B)} and ${Math.round(legs.C)} W`,
      expected: `a spread of at most ${PHASE_IMBALANCE_PCT} % of the mean`,
      ref,
    }),
  ];
}
