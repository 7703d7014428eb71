import { selectItDevices } from "#dc/analysis/power/power_nodes.ts";
import { computeTenantImpacts } from "#dc/analysis/power/unknown_draws.ts";
import { type Failure, getElementName, getElementRef } from "#dc/analysis/rehearsal/elements.ts";
import { listOfflineRoles, type RehearsalLine } from "#dc/analysis/rehearsal/lines.ts";
import { rateFailure, selectCoolingNodes } from "#dc/analysis/rehearsal/loss.ts";
import type { Rehearsal } from "#dc/analysis/rehearsal/rehearse.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { limitListFields } from "../messages/convert.ts";
import { explainSeverity, summarizeCause, summarizeFailures } from "./rehearsal_words.ts";

/** Converts one cause of a rehearsal to a message; each of its lists holds at most `limit` items. */
export function createCauseMessage(
  topology: Topology,
  { fabrics }: Rehearsal,
  line: RehearsalLine,
  { limit, basis }: { readonly limit: number; readonly basis: LoadBasis },
) {
  const { power } = topology;
  const { loss, failures, includingFailures, overlappingFailures, nearerFailures } = line;
  const fabricLostMbps = fabrics.sumMbps(loss.links);
  const codes = (indexes: Iterable<number>) => listFailedDeviceCodes(topology, indexes, limit);
  const racks = (keys: Iterable<string>) => listRackCodes(topology, keys, limit);
  const singleFed = selectItDevices(power, loss.direct);
  const tenants = computeTenantImpacts(topology, loss, basis);
  const byLoad = <Item extends { readonly utilizationPct: number; readonly ref: string }>(items: Iterable<Item>) =>
    [...items].sort((a, b) => b.utilizationPct - a.utilizationPct || compareText(a.ref, b.ref)).slice(0, limit);
  const createFailureFields = (name: string, list: readonly Failure[]) => ({
    ...limitListFields(name, list, limit),
    [name]: list.slice(0, limit).map((failure) => listFailureRefs(topology, failure).join(" ")),
  });
  return {
    severity: line.severity,
    reason: explainSeverity(topology, line),
    summary: summarizeCause(topology, line, fabrics),
    kind: line.kind,
    elementCount: failures.length,
    elements: failures.slice(0, limit).map((failure) => ({
      ...createElementFields(topology, failure, fabrics),
      severity: line.severity,
    })),
    omittedElements: Math.max(0, failures.length - limit),
    ...createFailureFields("alsoBy", includingFailures),
    ...createFailureFields("partlyBy", overlappingFailures),
    ...createFailureFields("nearer", nearerFailures),
    impact: line.impact,
    racksDark: racks(loss.racksDark),
    racksPartial: racks(loss.racksPartial),
    devicesLost: codes(selectItDevices(power, loss.offline)),
    cracsLost: codes(selectCoolingNodes(power, loss.offline)),
    singleFed: codes(singleFed),
    singleFedCount: singleFed.length,
    trips: byLoad(loss.trips.values()),
    overloads: byLoad(loss.overloads.values()),
    zones: [...loss.zones.values()]
      .sort((a, b) => compareText(a.ref, b.ref) || compareText(a.medium, b.medium))
      .slice(0, limit),
    fabricLostMbps,
    switchesCutOff: codes(loss.cutOff),
    switchesCutOffCount: loss.cutOff.size,
    devicesWithoutDataPath: codes(loss.isolated),
    devicesWithoutDataPathCount: loss.isolated.size,
    rolesLost: listOfflineRoles(power, loss),
    ...limitListFields("tenants", tenants, limit),
  };
}

/** Converts the failure with the largest loss to a message. */
export function createWorstMessage(topology: Topology, { fabrics, worst }: Rehearsal, basis: LoadBasis) {
  if (worst === undefined) return undefined;
  const severity = rateFailure(topology.power, worst, basis);
  return { ...createElementFields(topology, worst, fabrics), ...(severity !== undefined && { severity }) };
}

function createElementFields(topology: Topology, failure: Failure, fabrics: Rehearsal["fabrics"]) {
  const { impact, trips, overloads, links, isolated } = failure;
  return {
    refs: listFailureRefs(topology, failure),
    name: getElementName(topology.power, failure.elements[0]?.index ?? -1),
    impact,
    trippedRefs: trips.map(({ ref }) => ref),
    maxUtilizationPct: [...trips, ...overloads].reduce((most, one) => Math.max(most, one.utilizationPct), 0),
    fabricLostMbps: fabrics.sumMbps(links),
    devicesWithoutDataPathCount: isolated.length,
    summary: summarizeFailures(topology, [failure], fabrics),
  };
}

function listFailureRefs({ power }: Topology, { elements }: Failure): readonly string[] {
  return elements.map((element) => getElementRef(power, element));
}

export function listFailedDeviceCodes(
  { power }: Topology,
  indexes: Iterable<number>,
  limit: number,
): readonly string[] {
  const codes = [...indexes].map((index) => {
    const node = power.nodes[index];
    return node?.kind === "DEVICE" ? node.device.code : node?.kind === "CRAC" ? node.crac.code : "";
  });
  return codes.sort(compareText).slice(0, limit);
}

export function listRackCodes(topology: Topology, keys: Iterable<string>, limit: number): readonly string[] {
  return [...keys]
    .sort(compareText)
    .slice(0, limit)
    .map((key) => topology.rack(key)?.code ?? key);
}
