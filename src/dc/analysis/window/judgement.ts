import type { WindowContact, WindowReason } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import {
  WINDOW_REASON_KINDS,
  WINDOW_VERDICTS,
  type WindowImpact,
  type WindowReasonKind,
  type WindowVerdict,
} from "../../model/enum_values.ts";
import { lacksHeat } from "../../model/rack_space.ts";
import { codeKey, compareText, toRefKey } from "../../model/ref.ts";
import { isLocatedIn } from "../places.ts";
import { countLiveInlets, type LiveSet } from "../power/power_live.ts";
import { computeComparableLoad } from "../power/power_node_table.ts";
import { isConsumer, isListedSupply, type PowerGraph, selectItDevices } from "../power/power_nodes.ts";
import { findTenant, listDecidingUnknownDraws } from "../power/unknown_draws.ts";
import type { Topology } from "../topology.ts";
import {
  type AcceptedLosses,
  collectOutageLosses,
  isLossSetEmpty,
  type LossSet,
  listRacksInArea,
  type NextFailure,
  type Outage,
  type WindowInput,
  type WindowSite,
} from "./outage.ts";

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

function* yieldLossReasons({ ground: { topology }, outage, harm, accepted }: JudgementInput): Iterable<VerdictReason> {
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
  for (const index of harm.isolated)
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
function listDegradedDevices({ blast, coveredNodes }: Outage, power: Topology["power"]): readonly number[] {
  const hits = blast.hits.filter(({ state, index }) => state === "DEGRADED" && !coveredNodes.has(index));
  return selectItDevices(
    power,
    hits.map(({ index }) => index),
  );
}

function computeWindowImpact(
  { ground, outage, harm, needed }: JudgementInput,
  reasons: readonly VerdictReason[],
): WindowImpact {
  const { power, live } = ground.site;
  const own = selectItDevices(power, outage.coveredNodes).some((index) => live[index] === 1);
  if (own || !isLossSetEmpty(harm)) return "OUTAGE";
  const hasReason = (...kinds: readonly WindowReasonKind[]) => reasons.some(({ kind }) => kinds.includes(kind));
  if (hasReason("OVER_LIMIT", "UPLINK_OVER_LIMIT", "LAST_COOLING_UNIT") || needed.size > 0) return "DEGRADED";
  const isWeaker = outage.fabric.links.length > 0 || outage.blast.hits.some(({ state }) => state === "DEGRADED");
  return hasReason("RESERVE_USED", "ON_BATTERY") || isWeaker ? "REDUCED_REDUNDANCY" : "NO_IMPACT";
}

/**
 * Returns references of racks that each end all unaccepted losses if they are taken out too. Less load or heat can end
 * only trips and cooling shortages, so only racks that a trip or a shortage may affect are tried. Cost: one failure for
 * each tried rack.
 */
export function* findRelievingRacks(window: WindowSite, judged: JudgementInput): Steps<readonly string[]> {
  const { topology } = window.input;
  const { indexOf } = topology.power;
  const found: string[] = [];
  for (const code of collectCandidateRacks(judged)) {
    const inside = topology
      .listDevicesInRack(code)
      .flatMap((device) => indexOf.get(`device:${codeKey(device.code)}`) ?? []);
    if (inside.length === 0) continue;
    const outage = yield* window.computeOutage(inside);
    if (isLossSetEmpty(judged.accepted.removeAccepted(collectOutageLosses(topology, outage))))
      found.push(`rack:${code}`);
    yield;
  }
  return found.sort(compareText);
}

function collectCandidateRacks({ ground: { topology }, harm, outage }: JudgementInput): ReadonlySet<string> {
  const codes = new Set<string>();
  if (harm.trips.size > 0) for (const key of outage.blast.racks.keys()) codes.add(topology.rack(key)?.code ?? key);
  for (const { ref } of harm.shortages.values()) for (const { code } of listRacksInArea(topology, ref)) codes.add(code);
  return codes;
}

/**
 * Returns nodes of the UPSes whose batteries prevent a loss that is not accepted. Excludes UPSes without load, and
 * those whose consumers have other supply, are out of service or accepted. Cost: the consumers of these UPSes.
 * @param empty effects of the window once all batteries are empty
 */
export function findNeededBatteries(
  { ground: { topology, site }, outage, harm, accepted }: JudgementInput,
  empty: Outage,
): ReadonlySet<number> {
  const all = collectOutageLosses(topology, empty);
  const left = accepted.removeAccepted(collectOutageLosses(topology, empty, [harm]), all.offlineNodes);
  if (isLossSetEmpty(left)) return new Set();
  // Load that moves to other supplies, lost cooling and lost switches have effects beyond the consumers of a UPS.
  const isWide = left.trips.size + left.shortages.size + left.cutOff.size + left.isolated.size > 0;
  const isNeeded = (index: number) => left.offlineNodes.has(index) || (isWide && isConsumer(site.power.nodes[index]));
  const needed = outage.onBattery.filter(({ index }) =>
    listSuppliedNodes(site.power, outage.blast.live, index).some(isNeeded),
  );
  return new Set(needed.map(({ index }) => index));
}

/** Returns nodes with power that a node supplies, directly or indirectly. */
function listSuppliedNodes({ supplies }: PowerGraph, live: LiveSet, from: number): readonly number[] {
  const found = new Set([from]);
  // The loop adds to the set while it iterates.
  for (const index of found) for (const { to } of supplies.listEdges(index)) if (live[to] === 1) found.add(to);
  found.delete(from);
  return [...found];
}

/** Owner of devices that a window affects. Codes are sorted. */
export type AffectedContact = Omit<WindowContact, "lostCount" | "reserveCount">;

/**
 * Lists the owners of all lost devices and cooling units, including the window's own, and of devices that stay on
 * without spare supply. A device without a tenant or contact has the tenant or contact of its rack.
 */
export function listContacts(
  { topology, site }: WindowInput,
  outage: Outage,
  lostBeside: Iterable<number>,
): readonly AffectedContact[] {
  const { power, live } = site;
  const isUnit = (index: number) => power.nodes[index]?.kind === "CRAC";
  const beside = [...lostBeside];
  const units = [...outage.coveredNodes, ...beside].filter(isUnit);
  const devices = [
    ...selectItDevices(power, outage.coveredNodes).filter((index) => live[index] === 1),
    ...selectItDevices(power, beside),
  ];
  const lost = new Set([...devices, ...units]);
  const reserve = listDegradedDevices(outage, power).filter(
    (index) => !lost.has(index) && lacksSpareLiveInlet(outage, power, index),
  );
  const found = new Map<string, { tenant: string; contact: string; lost: string[]; reserve: string[] }>();
  const addCodes = (part: "lost" | "reserve", indexes: Iterable<number>) => {
    for (const index of indexes) {
      const { tenant, contact, code } = findDeviceOwner(topology, index);
      const key = `${tenant}\n${contact}`;
      found.getOrInsertComputed(key, () => ({ tenant, contact, lost: [], reserve: [] }))[part].push(code);
    }
  };
  addCodes("lost", lost);
  addCodes("reserve", reserve);
  return mergeContacts([[...found.values()]]);
}

/** Merges the contacts of several pieces of time: a device that is lost in one piece counts as lost. */
export function mergeContacts(pieces: readonly (readonly AffectedContact[])[]): readonly AffectedContact[] {
  const byOwner = Map.groupBy(pieces.flat(), ({ tenant, contact }) => `${tenant}\n${contact}`);
  const merged = [...byOwner.values()].flatMap((all): AffectedContact[] => {
    const [first] = all;
    if (first === undefined) return [];
    const lost = new Set(all.flatMap((one) => one.lost));
    const reserve = new Set(all.flatMap((one) => one.reserve)).difference(lost);
    return [{ ...first, lost: [...lost].sort(compareText), reserve: [...reserve].sort(compareText) }];
  });
  return merged.sort((a, b) => compareText(a.tenant, b.tenant) || compareText(a.contact, b.contact));
}

function lacksSpareLiveInlet({ blast }: Outage, power: Topology["power"], index: number): boolean {
  return countLiveInlets(power, blast.live, index) <= Math.max(1, power.nodes[index]?.need ?? 1);
}

function findDeviceOwner(topology: Topology, index: number) {
  const node = topology.power.nodes[index];
  if (node?.kind !== "DEVICE" && node?.kind !== "CRAC") return { code: "", tenant: "", contact: "" };
  const owner = node.kind === "DEVICE" ? node.device : node.crac;
  const rack = topology.rack(owner.rackCode ?? "");
  return {
    code: owner.code,
    tenant: (node.kind === "DEVICE" ? findTenant(topology, index) : rack?.tenant) ?? "",
    contact: owner.labels?.["contact"] ?? rack?.labels?.["contact"] ?? "",
  };
}

/** Time of a window from `from` to before `until`, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  /** End of the window; Infinity if it is overdue. */
  readonly until: number;
}

/** A time span in which the same windows are open. */
export interface TimePiece<Window> extends TimeSpan {
  /** Windows in the order given. */
  readonly windows: readonly Window[];
}

/**
 * Divides time at every begin and end of windows, and leaves out times that no window covers. The result is sorted. It
 * does not depend on the order of the windows, except for their order within a piece.
 */
export function cutWindowTime<Window extends TimeSpan>(windows: readonly Window[]): readonly TimePiece<Window>[] {
  const bounds = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b);
  return bounds.slice(0, -1).flatMap((from, at) => {
    const until = bounds[at + 1] ?? from;
    const open = windows.filter((window) => window.from <= from && window.until >= until);
    return open.length === 0 ? [] : [{ from, until, windows: open }];
  });
}

export function getSpanSeconds({ from, until }: TimeSpan): number {
  return (until - from) / 1000;
}

/**
 * Sums the seconds of the pieces before and after one piece, up to the first gap or piece that fails a condition.
 * Cost: one test for each of these pieces and their neighbours.
 */
export async function sumAdjacentSeconds(
  pieces: readonly TimeSpan[],
  at: number,
  holds: (piece: number) => Promise<boolean>,
): Promise<number> {
  let seconds = 0;
  for (const step of [-1, 1]) {
    for (let next = at + step; areAdjacentPieces(pieces, next, next - step) && (await holds(next)); next += step)
      seconds += getSpanSeconds(pieces[next] as TimeSpan);
  }
  return seconds;
}

function areAdjacentPieces(pieces: readonly TimeSpan[], a: number, b: number): boolean {
  const [first, second] = [pieces[Math.min(a, b)], pieces[Math.max(a, b)]];
  return first !== undefined && second !== undefined && first.until === second.from;
}
