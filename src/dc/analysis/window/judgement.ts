import { lacksHeat } from "#dc/model/blades.ts";
import { codeKey } from "#dc/model/code.ts";
import {
  WINDOW_REASON_KINDS,
  WINDOW_VERDICTS,
  type WindowImpact,
  type WindowReasonKind,
  type WindowVerdict,
} from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { WindowReason } from "#gen/datacenter/v1/messages.ts";
import { isLocatedIn } from "../location_scope.ts";
import { isListedSupply, selectItDevices } from "../power/power_nodes.ts";
import { computeComparableLoad } from "../power/power_overloads.ts";
import { listDecidingUnknownDraws } from "../power/unknown_draws.ts";
import type { Topology } from "../topology.ts";
import type { AcceptedLosses } from "./acceptance.ts";
import { isLossSetEmpty, type LossSet } from "./harm.ts";
import type { NextFailure } from "./next_failures.ts";
import type { Outage, WindowInput } from "./outage.ts";

/** One reason for a verdict; figures are in the unit of its kind. */
export type VerdictReason = Omit<WindowReason, "summary">;

export interface WindowJudgement {
  readonly verdict: WindowVerdict;
  readonly impact: WindowImpact;
  /** Reasons sorted by severity, worst first. */
  readonly reasons: readonly VerdictReason[];
}

/** Results from which a window is judged. */
export interface JudgementInput {
  readonly ground: WindowInput;
  readonly outage: Outage;
  readonly harm: LossSet;
  /** Nodes of the devices that stay on but have no data path. */
  readonly withoutDataPath: readonly number[];
  readonly accepted: AcceptedLosses;
  readonly next: readonly NextFailure[];
  /** Nodes of the UPSes whose batteries prevent a loss that is not accepted. */
  readonly needed: ReadonlySet<number>;
  readonly limits: WindowLimits;
  /** References of the window's elements that are no longer in the inventory. */
  readonly missing: readonly string[];
}

export interface WindowLimits {
  /** Number of racks whose loss by one more failure is tolerated. */
  readonly exposedRacks: number;
  /** Load of uplinks up to which there is no risk, in percent. */
  readonly uplinkPct: number;
}

/** Maximum rounding difference in watts between sums of the same loads added in another order. */
const LOAD_ROUNDING_W = 2;

/** Judges a window. Source: docs/windows.md#the-verdict. */
export function judgeWindow(judged: JudgementInput): WindowJudgement {
  const reasons = [
    ...yieldLossReasons(judged),
    ...yieldUnknownReasons(judged),
    ...yieldRiskReasons(judged),
    ...yieldReserveNotes(judged),
  ].sort(compareVerdictReasons);
  const worst = reasons.reduce((most, { verdict }) => Math.max(most, WINDOW_VERDICTS.indexOf(verdict)), 0);
  return { verdict: WINDOW_VERDICTS[worst] ?? "GO", impact: computeWindowImpact(judged, reasons), reasons };
}

/** Sorts reasons by kind. Within a kind, accepted reasons come last, and the most loaded elements first. */
function compareVerdictReasons(a: VerdictReason, b: VerdictReason): number {
  return (
    WINDOW_REASON_KINDS.indexOf(a.kind) - WINDOW_REASON_KINDS.indexOf(b.kind) ||
    Number(a.accepted) - Number(b.accepted) ||
    (b.during ?? 0) - (a.during ?? 0) ||
    compareText(a.ref, b.ref)
  );
}

function* yieldLossReasons({
  ground: { topology },
  outage,
  harm,
  withoutDataPath,
  accepted,
}: JudgementInput): Iterable<VerdictReason> {
  const { nodes } = topology.power;
  const createReason = (
    kind: WindowReasonKind,
    ref: string,
    isAccepted: boolean,
    figures: ReasonFigures = {},
  ): VerdictReason => ({
    ...createUnacceptedReason(kind, isAccepted ? "GO" : "NO_GO", ref, figures),
    accepted: isAccepted,
  });
  for (const { ref, loadBeforeW, capacityW, utilizationPct } of harm.trips.values()) {
    const before = capacityW === 0 ? 0 : (loadBeforeW / capacityW) * 100;
    yield createReason("TRIP", ref, false, { before, during: utilizationPct, limit: 100 });
  }
  for (const key of harm.racks)
    yield createReason(
      "RACK_LOST",
      `rack:${topology.rack(key)?.code ?? key}`,
      accepted.isRackAccepted(key, harm.offlineNodes),
    );
  for (const index of harm.offlineNodes) {
    const node = nodes[index];
    const kind = node?.kind === "CRAC" ? "COOLING_UNIT_LOST" : "DEVICE_LOST";
    yield createReason(kind, node?.ref ?? "", accepted.isNodeAccepted(index));
  }
  for (const index of harm.cutOff)
    yield createReason("SWITCH_CUT_OFF", nodes[index]?.ref ?? "", accepted.isNodeAccepted(index), { during: 0 });
  for (const index of withoutDataPath)
    yield createReason("DATA_PATH_LOST", nodes[index]?.ref ?? "", accepted.isNodeAccepted(index));
  for (const { ref, heatKw, capacityKw } of outage.zones.filter(({ short }) => short))
    yield createReason("COOLING_SHORT", ref, accepted.isAreaAccepted(ref), { during: heatKw, limit: capacityKw });
}

function* yieldUnknownReasons({ ground, outage, missing }: JudgementInput): Iterable<VerdictReason> {
  for (const ref of missing) yield createUnacceptedReason("ELEMENT_MISSING", "UNKNOWN", ref);
  const { topology, site, basis } = ground;
  const { blast, coveredNodes } = outage;
  const { power } = site;
  for (const code of blast.undocumented) {
    if (!coveredNodes.has(power.indexOf.get(`device:${codeKey(code)}`) ?? -1))
      yield createUnacceptedReason("SUPPLY_UNKNOWN", "UNKNOWN", `device:${code}`);
  }
  const before = site.apparentLoads(basis);
  yield* yieldUnknownDrawReasons(ground, outage);
  const { failover } = topology.computeCarriedLoads(basis);
  for (const index of blast.changedLoadNodes) {
    const node = power.nodes[index];
    if (node === undefined || node.capacityW !== undefined || blast.live[index] !== 1 || !isListedSupply(node))
      continue;
    const now = computeComparableLoad(power, index, before);
    const during = computeComparableLoad(power, index, blast.apparentAfter);
    const limit = Math.max(now, failover.loads[index] ?? 0);
    if (during > limit + LOAD_ROUNDING_W)
      yield createUnacceptedReason("CAPACITY_UNKNOWN", "UNKNOWN", node.ref, { before: now, during, limit });
  }
}

/** Yields consumers whose unrecorded draw or heat decides whether supplies trip or cooling falls short. */
function* yieldUnknownDrawReasons(
  { topology, site, basis, near }: WindowInput,
  { blast, coveredNodes, offNodes }: Outage,
): Iterable<VerdictReason> {
  const { power } = site;
  const before = site.apparentLoads(basis);
  const rising = blast.changedLoadNodes.filter(
    (index) =>
      blast.live[index] === 1 &&
      computeComparableLoad(power, index, blast.apparentAfter) > computeComparableLoad(power, index, before),
  );
  const degraded = new Set(blast.hits.filter(({ state }) => state === "DEGRADED").map(({ index }) => index));
  const deciding = new Set(
    listDecidingUnknownDraws(power, { before: site.live, live: blast.live, degraded, rising, basis }),
  );
  const areas = near.effects.listAffectedAreas([...offNodes]);
  for (const { code } of areas.length === 0 ? [] : topology.inventory.devices.filter(lacksHeat)) {
    const index = power.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    const device = topology.device(code);
    if (blast.live[index] === 1 && device !== undefined && areas.some((area) => isLocatedIn(device, area)))
      deciding.add(index);
  }
  for (const index of deciding) {
    if (!coveredNodes.has(index))
      yield createUnacceptedReason("DRAW_UNKNOWN", "UNKNOWN", power.nodes[index]?.ref ?? "");
  }
}

function* yieldRiskReasons(judged: JudgementInput): Iterable<VerdictReason> {
  const { ground, outage, accepted, next, limits, needed } = judged;
  const { power } = ground.site;
  yield* yieldOverLimitReasons(judged);
  for (const { index, runtimeS } of outage.onBattery)
    yield createUnacceptedReason(
      "ON_BATTERY",
      needed.has(index) ? "GO_WITH_RISK" : "GO",
      power.nodes[index]?.ref ?? "",
      {
        during: ground.durationS,
        limit: runtimeS,
      },
    );
  for (const { ref, heatKw, capacityKw } of outage.zones.filter(({ short }) => !short)) {
    const figures = { during: heatKw, limit: capacityKw };
    const isAccepted = accepted.isAreaAccepted(ref);
    yield {
      ...createUnacceptedReason("LAST_COOLING_UNIT", isAccepted ? "GO" : "GO_WITH_RISK", ref, figures),
      accepted: isAccepted,
    };
  }
  for (const { index, racks, spreads } of next) {
    if (racks.size <= limits.exposedRacks && !spreads) continue;
    yield createUnacceptedReason("NEXT_FAILURE", "GO_WITH_RISK", power.nodes[index]?.ref ?? "", {
      during: racks.size,
      limit: limits.exposedRacks,
    });
  }
}

function* yieldOverLimitReasons({ ground, outage, limits }: JudgementInput): Iterable<VerdictReason> {
  const { power } = ground.site;
  for (const { ref, loadBeforeW, capacityW, utilizationPct } of outage.blast.overloads) {
    const { maxUtilizationPct: limit = 100 } = power.nodes[power.indexOf.get(toRefKey(ref)) ?? -1] ?? {};
    const before = capacityW === 0 ? 0 : (loadBeforeW / capacityW) * 100;
    yield createUnacceptedReason("OVER_LIMIT", "GO_WITH_RISK", ref, { before, during: utilizationPct, limit });
  }
  for (const { node, loadPct, loadBeforePct } of outage.uplinks) {
    if (loadPct <= limits.uplinkPct) continue;
    const figures = { before: loadBeforePct, during: loadPct, limit: limits.uplinkPct };
    yield createUnacceptedReason("UPLINK_OVER_LIMIT", "GO_WITH_RISK", power.nodes[node]?.ref ?? "", figures);
  }
}

type ReasonFigures = Pick<VerdictReason, "before" | "during" | "limit">;

/** Creates a reason that is not accepted. */
function createUnacceptedReason(
  kind: WindowReasonKind,
  verdict: WindowVerdict,
  ref: string,
  figures: ReasonFigures = {},
): VerdictReason {
  return { kind, verdict, ref, accepted: false, ...figures };
}

/** Yields notes about used reserves: the number of degraded devices by rack, and of remaining uplinks by switch. */
function* yieldReserveNotes({ ground, outage }: JudgementInput): Iterable<VerdictReason> {
  const { power } = ground.site;
  const createNote = (ref: string, during: number) => createUnacceptedReason("RESERVE_USED", "GO", ref, { during });
  const sides = new Map<string, number>();
  for (const index of listDegradedDevices(outage, power)) {
    const node = power.nodes[index];
    const rack = node?.kind === "DEVICE" ? (node.device.rackCode ?? "") : "";
    const ref = rack === "" ? (node?.ref ?? "") : `rack:${ground.topology.rack(rack)?.code ?? rack}`;
    sides.set(ref, (sides.get(ref) ?? 0) + 1);
  }
  for (const [ref, count] of sides) yield createNote(ref, count);
  for (const { node, uplinks } of outage.uplinks) yield createNote(power.nodes[node]?.ref ?? "", uplinks);
}

/** Lists devices that stay on with less supply, except devices of the window itself. */
export function listDegradedDevices({ blast, coveredNodes }: Outage, power: Topology["power"]): readonly number[] {
  const hits = blast.hits.filter(({ state, index }) => state === "DEGRADED" && !coveredNodes.has(index));
  return selectItDevices(
    power,
    hits.map(({ index }) => index),
  );
}

function computeWindowImpact(
  { ground, outage, harm, withoutDataPath, needed }: JudgementInput,
  reasons: readonly VerdictReason[],
): WindowImpact {
  const { power, live } = ground.site;
  const own = selectItDevices(power, outage.coveredNodes).some((index) => live[index] === 1);
  if (own || !isLossSetEmpty(harm) || withoutDataPath.length > 0) return "OUTAGE";
  const hasReason = (...kinds: readonly WindowReasonKind[]) => reasons.some(({ kind }) => kinds.includes(kind));
  if (hasReason("OVER_LIMIT", "UPLINK_OVER_LIMIT", "LAST_COOLING_UNIT") || needed.size > 0) return "DEGRADED";
  const isWeaker = outage.fabric.links.length > 0 || outage.blast.hits.some(({ state }) => state === "DEGRADED");
  return hasReason("RESERVE_USED", "ON_BATTERY") || isWeaker ? "REDUCED_REDUNDANCY" : "NO_IMPACT";
}
