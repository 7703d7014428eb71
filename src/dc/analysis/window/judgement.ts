import { codeKey } from "#dc/model/code.ts";
import {
  WINDOW_REASON_KINDS,
  WINDOW_VERDICTS,
  type WindowImpact,
  type WindowReasonKind,
  type WindowVerdict,
} from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { WindowReason } from "#gen/datacenter/v1/messages.ts";
import { isListedSupply, selectItDevices } from "../power/power_nodes.ts";
import { computeComparableLoad } from "../power/power_overloads.ts";
import type { Topology } from "../topology.ts";
import type { Acceptance } from "./acceptance.ts";
import { type Harm, isNothing } from "./harm.ts";
import type { NextFailure } from "./next_failures.ts";
import type { Outage, WindowGround } from "./outage.ts";

/** One reason for a verdict; figures in the unit of its kind. */
export type Reason = Omit<WindowReason, "summary">;

export interface Judgement {
  readonly verdict: WindowVerdict;
  readonly impact: WindowImpact;
  /** The worst first. */
  readonly reasons: readonly Reason[];
}

/** What a window is judged by. */
export interface Judged {
  readonly ground: WindowGround;
  readonly outage: Outage;
  readonly harm: Harm;
  /** Nodes of the devices that stay on and cannot be reached. */
  readonly withoutDataPath: readonly number[];
  readonly accepted: Acceptance;
  readonly next: readonly NextFailure[];
  /** Nodes of the UPSes without whose batteries something is lost that is not accepted. */
  readonly needed: ReadonlySet<number>;
  readonly limits: WindowLimits;
  /** References of the window's elements that are not in the inventory any more. */
  readonly missing: readonly string[];
}

export interface WindowLimits {
  /** Racks that one more failure may take. */
  readonly exposedRacks: number;
  /** Load of uplinks that is no risk, in percent. */
  readonly uplinkPct: number;
}

/** Rounding of loads that are added up in another order, in watts. */
const ROUNDING_W = 2;

/** Judges a window. Source: docs/windows.md#the-verdict. */
export function judge(judged: Judged): Judgement {
  const reasons = [...lossReasons(judged), ...unknownReasons(judged), ...risks(judged), ...reserves(judged)].sort(
    inOrder,
  );
  const worst = reasons.reduce((most, { verdict }) => Math.max(most, WINDOW_VERDICTS.indexOf(verdict)), 0);
  return { verdict: WINDOW_VERDICTS[worst] ?? "GO", impact: impactOf(judged, reasons), reasons };
}

/** Within a kind, what is accepted last, and the most loaded first. */
function inOrder(a: Reason, b: Reason): number {
  return (
    WINDOW_REASON_KINDS.indexOf(a.kind) - WINDOW_REASON_KINDS.indexOf(b.kind) ||
    Number(a.accepted) - Number(b.accepted) ||
    (b.during ?? 0) - (a.during ?? 0) ||
    compareText(a.ref, b.ref)
  );
}

function* lossReasons({ ground: { topology }, outage, harm, withoutDataPath, accepted }: Judged): Iterable<Reason> {
  const { nodes } = topology.power;
  const reason = (kind: WindowReasonKind, ref: string, isAccepted: boolean, figures: Figures = {}): Reason => ({
    ...reasonFor(kind, isAccepted ? "GO" : "NO_GO", ref, figures),
    accepted: isAccepted,
  });
  for (const { ref, loadBeforeW, capacityW, utilizationPct } of harm.trips.values()) {
    const before = capacityW === 0 ? 0 : (loadBeforeW / capacityW) * 100;
    yield reason("TRIP", ref, false, { before, during: utilizationPct, limit: 100 });
  }
  for (const key of harm.racks)
    yield reason("RACK_LOST", `rack:${topology.rack(key)?.code ?? key}`, accepted.hasRack(key, harm.off));
  for (const index of harm.off) {
    const node = nodes[index];
    const kind = node?.kind === "CRAC" ? "COOLING_UNIT_LOST" : "DEVICE_LOST";
    yield reason(kind, node?.ref ?? "", accepted.hasNode(index));
  }
  for (const index of harm.cutOff)
    yield reason("SWITCH_CUT_OFF", nodes[index]?.ref ?? "", accepted.hasNode(index), { during: 0 });
  for (const index of withoutDataPath) yield reason("DATA_PATH_LOST", nodes[index]?.ref ?? "", accepted.hasNode(index));
  for (const { ref, heatKw, capacityKw } of outage.zones.filter(({ short }) => short))
    yield reason("COOLING_SHORT", ref, accepted.hasArea(ref), { during: heatKw, limit: capacityKw });
}

function* unknownReasons({ ground, outage, missing }: Judged): Iterable<Reason> {
  for (const ref of missing) yield reasonFor("ELEMENT_MISSING", "UNKNOWN", ref);
  const { topology, site, basis } = ground;
  const { blast, covered } = outage;
  const { power } = site;
  for (const code of blast.undocumented) {
    if (!covered.has(power.indexOf.get(`device:${codeKey(code)}`) ?? -1))
      yield reasonFor("SUPPLY_UNKNOWN", "UNKNOWN", `device:${code}`);
  }
  const before = site.apparentLoads(basis);
  const { failover } = topology.carried(basis);
  for (const index of blast.reloaded) {
    const node = power.nodes[index];
    if (node === undefined || node.capacityW !== undefined || blast.live[index] !== 1 || !isListedSupply(node))
      continue;
    const now = computeComparableLoad(power, index, before);
    const during = computeComparableLoad(power, index, blast.apparentAfter);
    const limit = Math.max(now, failover.loads[index] ?? 0);
    if (during > limit + ROUNDING_W)
      yield reasonFor("CAPACITY_UNKNOWN", "UNKNOWN", node.ref, { before: now, during, limit });
  }
}

function* risks(judged: Judged): Iterable<Reason> {
  const { ground, outage, accepted, next, limits, needed } = judged;
  const { power } = ground.site;
  yield* overLimits(judged);
  for (const { index, runtimeS } of outage.onBattery)
    yield reasonFor("ON_BATTERY", needed.has(index) ? "GO_WITH_RISK" : "GO", power.nodes[index]?.ref ?? "", {
      during: ground.durationS,
      limit: runtimeS,
    });
  for (const { ref, heatKw, capacityKw } of outage.zones.filter(({ short }) => !short)) {
    const figures = { during: heatKw, limit: capacityKw };
    const isAccepted = accepted.hasArea(ref);
    yield { ...reasonFor("LAST_COOLING_UNIT", isAccepted ? "GO" : "GO_WITH_RISK", ref, figures), accepted: isAccepted };
  }
  for (const { index, racks, spreads } of next) {
    if (racks.size <= limits.exposedRacks && !spreads) continue;
    yield reasonFor("NEXT_FAILURE", "GO_WITH_RISK", power.nodes[index]?.ref ?? "", {
      during: racks.size,
      limit: limits.exposedRacks,
    });
  }
}

function* overLimits({ ground, outage, limits }: Judged): Iterable<Reason> {
  const { power } = ground.site;
  for (const { ref, loadBeforeW, capacityW, utilizationPct } of outage.blast.overloads) {
    const { maxUtilizationPct: limit = 100 } = power.nodes[power.indexOf.get(refKey(ref)) ?? -1] ?? {};
    const before = capacityW === 0 ? 0 : (loadBeforeW / capacityW) * 100;
    yield reasonFor("OVER_LIMIT", "GO_WITH_RISK", ref, { before, during: utilizationPct, limit });
  }
  for (const { node, loadPct, loadBeforePct } of outage.uplinks) {
    if (loadPct <= limits.uplinkPct) continue;
    const figures = { before: loadBeforePct, during: loadPct, limit: limits.uplinkPct };
    yield reasonFor("UPLINK_OVER_LIMIT", "GO_WITH_RISK", power.nodes[node]?.ref ?? "", figures);
  }
}

type Figures = Pick<Reason, "before" | "during" | "limit">;

/** A reason that nothing accepts. */
function reasonFor(kind: WindowReasonKind, verdict: WindowVerdict, ref: string, figures: Figures = {}): Reason {
  return { kind, verdict, ref, accepted: false, ...figures };
}

/** Reserves that are used as they were built for: notes, counted by what stays on with less. */
function* reserves({ ground, outage }: Judged): Iterable<Reason> {
  const { power } = ground.site;
  const note = (ref: string, during: number) => reasonFor("RESERVE_USED", "GO", ref, { during });
  const sides = new Map<string, number>();
  for (const index of degradedDevices(outage, power)) {
    const node = power.nodes[index];
    const rack = node?.kind === "DEVICE" ? (node.device.rackCode ?? "") : "";
    const ref = rack === "" ? (node?.ref ?? "") : `rack:${ground.topology.rack(rack)?.code ?? rack}`;
    sides.set(ref, (sides.get(ref) ?? 0) + 1);
  }
  for (const [ref, count] of sides) yield note(ref, count);
  for (const { node, uplinks } of outage.uplinks) yield note(power.nodes[node]?.ref ?? "", uplinks);
}

/** Devices that stay on with less supply, the window's own left out. */
export function degradedDevices({ blast, covered }: Outage, power: Topology["power"]): readonly number[] {
  const hits = blast.hits.filter(({ state, index }) => state === "DEGRADED" && !covered.has(index));
  return selectItDevices(
    power,
    hits.map(({ index }) => index),
  );
}

function impactOf({ ground, outage, harm, withoutDataPath, needed }: Judged, reasons: readonly Reason[]): WindowImpact {
  const { power, live } = ground.site;
  const own = selectItDevices(power, outage.covered).some((index) => live[index] === 1);
  if (own || !isNothing(harm) || withoutDataPath.length > 0) return "OUTAGE";
  const has = (...kinds: readonly WindowReasonKind[]) => reasons.some(({ kind }) => kinds.includes(kind));
  if (has("OVER_LIMIT", "UPLINK_OVER_LIMIT", "LAST_COOLING_UNIT") || needed.size > 0) return "DEGRADED";
  const isWeaker = outage.fabric.links.length > 0 || outage.blast.hits.some(({ state }) => state === "DEGRADED");
  return has("RESERVE_USED", "ON_BATTERY") || isWeaker ? "REDUCED_REDUNDANCY" : "NO_IMPACT";
}
