import { WindowImpact as ImpactNumber, WindowVerdict as VerdictNumber } from "#gen/datacenter/v1/windows_pb.ts";
import { formatDecimal, formatDuration } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { selectBatteryOptions } from "../../../analysis/power/power_figures.ts";
import { selectItDevices } from "../../../analysis/power/power_nodes.ts";
import { getElementName } from "../../../analysis/rehearsal/elements.ts";
import type { Topology } from "../../../analysis/topology.ts";
import {
  type AffectedContact,
  cutWindowTime,
  findRelievingRacks,
  getSpanSeconds,
  type JudgementInput,
  judgeWindow,
  mergeContacts,
  sumAdjacentSeconds,
  type TimePiece,
  type TimeSpan,
  type VerdictReason,
  type WindowJudgement,
} from "../../../analysis/window/judgement.ts";
import type { NextFailure } from "../../../analysis/window/outage.ts";
import { WINDOW_VERDICTS, type WindowVerdict } from "../../../model/enum_values.ts";
import { isWindowOpen, isWindowOverdue, type MaintenanceWindow } from "../../../model/inventory.ts";
import { compareText, toRefKey } from "../../../model/ref.ts";
import { readCount } from "../../answers/parameters.ts";
import { CONGESTED_PCT, limitListFields } from "../../messages/convert.ts";
import type { ReadSession } from "../../rpc.ts";
import { formatNounCount, listFailedDeviceCodes, listRackCodes } from "../rehearse_failures.ts";
import {
  findOrMakeResult,
  getPieceResults,
  type JudgedPiece,
  judgePiece,
  type OutElements,
  type PieceOutage,
  type PieceResults,
  resolvePresentSources,
  type ShortVerdict,
  simulateOutage,
  type WindowJudgingOptions,
} from "./judge_piece.ts";

/** Builds the reply about a window; each list holds at most `limit` items. */
function createWindowReply(
  judged: JudgementInput,
  { verdict, impact, reasons }: WindowJudgement,
  { contacts, limit }: { readonly contacts: readonly AffectedContact[]; readonly limit: number },
) {
  const { ground, outage, next } = judged;
  return {
    verdict,
    impact,
    summary: summarizeVerdict(judged, { verdict, impact, reasons }),
    ...limitListFields("reasons", reasons, limit, (reason) => createReasonMessage(reason, next, ground.topology)),
    ...limitListFields("nextFailures", next, limit, (failure) => createFailureMessage(ground.topology, failure, limit)),
    exposedRacks: next[0]?.racks.size ?? 0,
    ...limitListFields("contacts", contacts, limit, ({ lost, reserve, ...who }) => ({
      ...who,
      lostCount: lost.length,
      reserveCount: reserve.length,
      lost: lost.slice(0, limit),
      reserve: reserve.slice(0, limit),
    })),
    counts: outage.blast.impact,
  };
}

/** Summarizes a verdict with its first reason: "No go: rack A01 goes dark". */
function summarizeVerdict({ ground, next }: JudgementInput, { verdict, reasons }: WindowJudgement): string {
  const first = verdict === "GO" ? undefined : reasons.find((reason) => reason.verdict === verdict);
  if (first === undefined) return VERDICT_TEXTS[verdict];
  return `${VERDICT_TEXTS[verdict]}: ${createReasonMessage(first, next, ground.topology).summary}`;
}

const VERDICT_TEXTS = { GO: "Go", GO_WITH_RISK: "Go with risk", UNKNOWN: "Unknown", NO_GO: "No go" } as const;

function createReasonMessage(reason: VerdictReason, next: readonly NextFailure[], topology: Topology) {
  const { kind, ref, accepted } = reason;
  const failure = kind === "NEXT_FAILURE" ? next.find(({ index }) => findNodeRef(topology, index) === ref) : undefined;
  const summary = failure === undefined ? SUMMARIES_BY_REASON[kind](reason) : describeNextFailure(topology, failure);
  return { ...reason, summary: accepted ? `${summary} (accepted)` : summary };
}

const SUMMARIES_BY_REASON: Readonly<Record<VerdictReason["kind"], (reason: VerdictReason) => string>> = {
  TRIP: ({ ref, during = 0 }) => `${getRefName(ref)} trips at ${formatDecimal(during)} % of its capacity`,
  RACK_LOST: ({ ref }) => `Rack ${getRefName(ref)} goes dark`,
  DEVICE_LOST: ({ ref }) => `${getRefName(ref)} goes offline`,
  COOLING_UNIT_LOST: ({ ref }) => `Cooling unit ${getRefName(ref)} goes offline`,
  SWITCH_CUT_OFF: ({ ref }) => `${getRefName(ref)} loses its last working uplink`,
  DATA_PATH_LOST: ({ ref }) => `${getRefName(ref)} is on and cannot be reached: all its switches are off or cut off`,
  COOLING_SHORT: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} needs ${formatDecimal(during)} kW of cooling and has ${formatDecimal(limit)} kW`,
  ELEMENT_MISSING: ({ ref }) => `${getRefName(ref)} is not in the inventory any more`,
  SUPPLY_UNKNOWN: ({ ref }) => `${getRefName(ref)} has no recorded supply and may go offline`,
  CAPACITY_UNKNOWN: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} has no recorded capacity and carries ${formatDecimal(during)} W, at most ${formatDecimal(limit)} W after any one failure today`,
  DRAW_UNKNOWN: ({ ref }) => `The draw of ${getRefName(ref)} is not recorded and can overload what takes over`,
  OVER_LIMIT: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} is at ${formatDecimal(during)} % of its capacity, above its limit of ${formatDecimal(limit)} %`,
  UPLINK_OVER_LIMIT: ({ ref, during = 0, limit = 0 }) =>
    `The uplinks left to ${getRefName(ref)} carry ${formatDecimal(during)} %, above ${formatDecimal(limit)} %`,
  ON_BATTERY: ({ ref, verdict, during = 0, limit = 0 }) =>
    `${getRefName(ref)} runs on its battery for ${formatDuration(during)} of ${formatDuration(limit)}${verdict === "GO" ? "; nothing needs it" : ""}`,
  LAST_COOLING_UNIT: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} has no cooling reserve: ${formatDecimal(during)} of ${formatDecimal(limit)} kW`,
  NEXT_FAILURE: ({ ref }) => `The failure of ${getRefName(ref)} takes more`,
  RESERVE_USED: ({ ref, during = 0 }) =>
    ref.startsWith("rack:")
      ? `${formatNounCount(during, "device", "devices")} of rack ${getRefName(ref)} with less supply`
      : `${getRefName(ref)} works with less supply or fewer uplinks`,
};

function createFailureMessage(topology: Topology, failure: NextFailure, limit: number) {
  const { power } = topology;
  const { index, harm, racks, spreads } = failure;
  return {
    ref: findNodeRef(topology, index),
    name: getElementName(power, index),
    summary: describeNextFailure(topology, failure),
    racks: racks.size,
    racksDark: listRackCodes(topology, harm.racks, limit),
    devicesLost: listFailedDeviceCodes(topology, harm.offlineNodes, limit),
    trips: [...harm.trips.keys()].slice(0, limit),
    areasShort: [...new Set([...harm.shortages.values()].map(({ ref }) => ref))].slice(0, limit),
    switchesCutOff: listFailedDeviceCodes(topology, harm.cutOff, limit),
    devicesWithoutDataPath: listFailedDeviceCodes(topology, harm.isolated, limit),
    spreads,
  };
}

/** Describes a failure and its effect: "UTIL-A takes 3 racks dark, 1 trip". */
function describeNextFailure(topology: Topology, { index, harm }: NextFailure): string {
  const devices = selectItDevices(topology.power, harm.offlineNodes).length;
  const units = harm.offlineNodes.size - devices;
  const parts = [
    formatNounCount(harm.trips.size, "supply trips", "supplies trip"),
    formatNounCount(harm.racks.size, "rack goes dark", "racks go dark"),
    harm.racks.size === 0 ? formatNounCount(devices, "device goes offline", "devices go offline") : "",
    formatNounCount(units, "cooling unit goes offline", "cooling units go offline"),
    formatNounCount(harm.cutOff.size, "switch is cut off", "switches are cut off"),
    formatNounCount(harm.isolated.size, "device loses its last data path", "devices lose their last data path"),
    formatNounCount(harm.shortages.size, "area falls short of cooling", "areas fall short of cooling"),
  ].filter((part) => part !== "");
  return `If ${getRefName(findNodeRef(topology, index))} fails as well: ${parts.join(", ")}`;
}

function findNodeRef({ power }: Topology, index: number): string {
  return power.nodes[index]?.ref ?? "";
}

/** A window on the time line. The code is empty for a window that is only checked and not stored. */
interface TimedWindow extends TimeSpan {
  readonly code: string;
  readonly refs: readonly string[];
  readonly accepted: readonly string[];
}

/** Returns the planned and begun windows on the time line. An overdue window has no end. @param now ms since 1970 */
export function listOpenWindows(windows: readonly MaintenanceWindow[], now: number): readonly TimedWindow[] {
  return windows.filter(isWindowOpen).map((window) => ({
    code: window.code,
    from: Date.parse(window.startsAt),
    until: isWindowOverdue(window, now) ? Number.POSITIVE_INFINITY : Date.parse(window.endsAt),
    refs: window.elementRefs,
    accepted: window.acceptedRefs ?? [],
  }));
}

/** Default and maximum number of items of a list. Source: docs/windows.md#limits. */
const DEFAULT_LISTED = 50;
const MAX_LISTED = 1000;
/** Default number of racks that one more failure may take down: the rack of the failed element itself. */
export const DEFAULT_EXPOSED_RACKS = 1;

/** Returns the number of items of each list of a verdict. @throws Refusal when negative */
export function readListLimit(asked: number): number {
  return readCount("max_items", asked, { usual: DEFAULT_LISTED, most: MAX_LISTED });
}

/** Puts all open windows on one time line, judged as CheckWindow does by default. */
export async function buildStoredTimeline(session: ReadSession, stored: readonly MaintenanceWindow[]) {
  const now = Date.parse(session.now);
  const limits = { exposedRacks: DEFAULT_EXPOSED_RACKS, uplinkPct: CONGESTED_PCT };
  const windows = listOpenWindows(stored, now);
  const topology = await (windows.length === 0 ? session.topology() : session.topology("judged"));
  const timeline = new WindowTimeline({ session, topology, basis: "ALLOCATED", limits }, windows, now);
  const byCode = new Map(windows.map((window) => [window.code, window]));
  return { topology, timeline, timed: (code: string): TimedWindow | undefined => byCode.get(code) };
}

type WindowPiece = TimePiece<TimedWindow>;

/** The verdict on a piece, and the elements that are out in it. */
interface PieceVerdict extends ShortVerdict {
  readonly out: OutElements;
}

/**
 * Judges windows on one time line: listed windows, one stored window, or one that is only checked. A window's verdict
 * is the worst of its pieces that are not over. In each piece, the elements of all windows that are open then are out
 * of service.
 */
export class WindowTimeline {
  readonly #question: WindowJudgingOptions;
  readonly #now: number;
  readonly #windows: readonly TimedWindow[];
  readonly #pieces: readonly WindowPiece[];
  readonly #pieceIndexes: ReadonlyMap<TimedWindow, readonly { readonly at: number }[]>;
  readonly #results: PieceResults;
  /** The last outage, shared by a piece's battery check and verdict. Only one is kept: it is as large as the graph. */
  #lastOutage: { readonly key: string; readonly outage: Promise<PieceOutage> } | undefined;

  /** @param windows without duplicates */
  constructor(question: WindowJudgingOptions, windows: readonly TimedWindow[], now: number) {
    this.#question = question;
    this.#windows = windows;
    this.#now = now;
    this.#pieces = cutWindowTime(windows);
    this.#pieceIndexes = Map.groupBy(
      this.#pieces.flatMap(({ windows: open }, at) => open.map((window) => ({ window, at }))),
      ({ window }) => window,
    );
    this.#results = getPieceResults(question.topology);
    // A reply is valid until the next window begins or ends.
    const bounds = windows.flatMap(({ from, until }) => [from, until]).filter((bound) => bound > now);
    question.session.lapsesAt(bounds.reduce((least, bound) => Math.min(least, bound), Number.POSITIVE_INFINITY));
  }

  /** Returns the short verdict, cached for this revision. Cost: nothing if cached, else a judgement of each piece. */
  async getVerdict(window: TimedWindow): Promise<PieceVerdict> {
    return findWorstByVerdict(await this.#listVerdicts(window), (one) => one);
  }

  /** Returns the elements that are out in the piece that determines the verdict. Cost: that of the verdict. */
  async findWorstPiece(window: TimedWindow): Promise<OutElements> {
    return (await this.getVerdict(window)).out;
  }

  /** Simulates the outages of a piece. Cost: nothing if it is the same piece as in the last call, else one failure. */
  getOutage(out: OutElements): Promise<PieceOutage> {
    const key = JSON.stringify(out);
    const known = this.#lastOutage;
    const outage = known?.key === key ? known.outage : simulateOutage(this.#question, out);
    this.#lastOutage = { key, outage };
    return outage;
  }

  async #listVerdicts(window: TimedWindow): Promise<readonly PieceVerdict[]> {
    const missing = await this.#findMissingRefs(window);
    const found: PieceVerdict[] = [];
    for (const at of this.#listPieceIndexes(window)) {
      const out = await this.#outElements(at, missing);
      const judge = async () => createShortVerdict(await this.#judgePiece(out));
      // The verdict states the duration only if a battery supplies a load; otherwise the duration only selects the
      // batteries.
      const told = (await this.#findBatteries(at)).carrying.length > 0 ? out.durationS : this.#selectBatteries(out);
      const key = JSON.stringify([{ ...out, durationS: told }, this.#listOptions()]);
      found.push({ ...(await findOrMakeResult(this.#results.verdicts, key, judge)), out });
    }
    return found;
  }

  /** Builds the reply about a window, without its revision. @param limit maximum number of items of each list */
  async createReply(window: TimedWindow, limit: number) {
    const missing = await this.#findMissingRefs(window);
    const own = this.#listPieceIndexes(window);
    const judged: (JudgedPiece & { readonly at: number })[] = [];
    for (const at of own) {
      const out = await this.#outElements(at, missing);
      judged.push({ at, ...(await this.#judgePiece(out)) });
    }
    const first = findWorstByVerdict(judged, ({ judgement }) => judgement);
    const refused = judged.filter(({ judgement }) => judgement.verdict === "NO_GO");
    const contacts = mergeContacts(judged.map((one): readonly AffectedContact[] => one.contacts));
    const impact = Math.max(...judged.map(({ judgement }) => ImpactNumber[judgement.impact]));
    return {
      ...createWindowReply(first.judged, first.judgement, { contacts, limit }),
      impact,
      elementsFailed: first.triedFailureCount,
      relievedBy: (await this.#findRelievingRacks(refused)).slice(0, limit),
      ...limitListFields("pieces", judged, limit, (one) =>
        createPieceMessage(this.#pieces[one.at] as WindowPiece, window, one),
      ),
      blockingWindows: (await this.#findBlockingWindows(window, own, refused)).slice(0, limit),
    };
  }

  async #judgePiece(out: OutElements): Promise<JudgedPiece> {
    return judgePiece(this.#question, await this.getOutage(out));
  }

  async #outElements(at: number, missing: readonly string[]): Promise<OutElements> {
    const durationS = await this.#computeDurationS(at);
    return { ...getOutElements(this.#pieces[at] as WindowPiece), durationS, missing };
  }

  #selectBatteries({ durationS }: { readonly durationS: number }) {
    return selectBatteryOptions(this.#question.topology.power, durationS);
  }

  #listOptions() {
    const { basis, limits } = this.#question;
    return [basis, limits];
  }

  async #findMissingRefs({ refs }: TimedWindow): Promise<readonly string[]> {
    return (await resolvePresentSources(this.#question, refs)).missing;
  }

  /** Returns the indexes of a window's pieces that have not ended yet. */
  #listPieceIndexes(window: TimedWindow): readonly number[] {
    const own = (this.#pieceIndexes.get(window) ?? []).map(({ at }) => at);
    return own.filter((at) => (this.#pieces[at] as WindowPiece).until > this.#now);
  }

  /**
   * Returns the seconds for which the batteries of a piece must supply their load. They are the length of the piece and
   * of the adjacent pieces in which the same batteries supply the load.
   */
  async #computeDurationS(at: number): Promise<number> {
    const own = getSpanSeconds(this.#pieces[at] as WindowPiece);
    let longest = own;
    for (const ups of (await this.#findBatteries(at)).carrying) {
      const around = await sumAdjacentSeconds(this.#pieces, at, async (beside) =>
        (await this.#findBatteries(beside)).unsupplied.includes(ups),
      );
      longest = Math.max(longest, own + around);
    }
    return longest;
  }

  /** Returns UPSes whose batteries supply a load for the length of a piece, and all UPSes that lose their supply. */
  async #findBatteries(at: number) {
    const piece = this.#pieces[at] as WindowPiece;
    const out = { ...getOutElements(piece), durationS: getSpanSeconds(piece), missing: [] };
    const key = JSON.stringify([out.refs, this.#selectBatteries(out), this.#question.basis]);
    const find = async () => {
      const { outage, ground } = (await this.getOutage(out)).judged;
      const refOf = (index: number) => ground.site.power.nodes[index]?.ref ?? "";
      const carrying = outage.onBattery.map(({ index }) => refOf(index));
      return { carrying, unsupplied: outage.unsuppliedUpses.map(refOf) };
    };
    return findOrMakeResult(this.#results.batteries, key, find);
  }

  /** Returns the racks that each end every NO_GO if that rack alone is taken out of service as well. */
  async #findRelievingRacks(refused: readonly JudgedPiece[]): Promise<readonly string[]> {
    let found: readonly string[] | undefined;
    for (const { window, judged } of refused) {
      const racks = await this.#question.session.scheduler.run(findRelievingRacks(window, judged));
      found = found?.filter((ref) => racks.includes(ref)) ?? racks;
      if (found.length === 0) return [];
    }
    return found ?? [];
  }

  /**
   * Returns the codes of the windows that each cause the NO_GO alone: without that window, no piece is NO_GO. Cost: one
   * simulated failure for each window and piece.
   */
  async #findBlockingWindows(window: TimedWindow, own: readonly number[], refused: readonly { readonly at: number }[]) {
    if (refused.length === 0) return [];
    const codes: string[] = [];
    for (const other of await this.#findConcurrentWindows(own)) {
      if (other === window) continue;
      const without = new WindowTimeline(
        this.#question,
        this.#windows.filter((one) => one !== other),
        this.#now,
      );
      if (!(await without.#isNoGo(window))) codes.push(other.code);
    }
    return codes.sort(compareText);
  }

  /** Returns the windows open in a window's pieces, or in adjacent pieces where a battery still supplies its load. */
  async #findConcurrentWindows(own: readonly number[]): Promise<ReadonlySet<TimedWindow>> {
    const found = new Set<TimedWindow>();
    const isDraining = async (at: number) => (await this.#findBatteries(at)).unsupplied.length > 0;
    for (const at of own) {
      for (const window of this.#pieces[at]?.windows ?? []) found.add(window);
      if (!(await isDraining(at))) continue;
      await sumAdjacentSeconds(this.#pieces, at, async (beside) => {
        if (!(await isDraining(beside))) return false;
        for (const window of this.#pieces[beside]?.windows ?? []) found.add(window);
        return true;
      });
    }
    return found;
  }

  /** Whether the verdict on any piece of a window is NO_GO. Cost: one simulated failure for each piece. */
  async #isNoGo(window: TimedWindow): Promise<boolean> {
    for (const at of this.#listPieceIndexes(window)) {
      const out = await this.#outElements(at, []);
      if (judgeWindow((await this.getOutage(out)).judged).verdict === "NO_GO") return true;
    }
    return false;
  }
}

/** Cached elements that are out in each piece, because every window of a piece needs them. */
const OUT_ELEMENTS_BY_PIECE = new WeakMap<WindowPiece, ReturnType<typeof collectOutElements>>();

/** Collects the elements that are out in a piece. Their order does not depend on the order of the windows. */
function collectOutElements({ windows }: WindowPiece) {
  // Of two spellings of one reference, keeps the first in sort order.
  const sortUnique = (texts: readonly string[], keyOf: (text: string) => string) => {
    const byKey = new Map([...texts].sort((a, b) => compareText(b, a)).map((text) => [keyOf(text), text]));
    return [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, text]) => text);
  };
  const refs = windows.flatMap((window) => window.refs);
  const accepted = windows.flatMap((window) => window.accepted);
  return { refs: sortUnique(refs, toRefKey), accepted: sortUnique(accepted, (text) => text) };
}

function getOutElements(piece: WindowPiece) {
  return OUT_ELEMENTS_BY_PIECE.getOrInsertComputed(piece, collectOutElements);
}

function createShortVerdict({ judged, judgement }: JudgedPiece): ShortVerdict {
  return { verdict: judgement.verdict, impact: judgement.impact, summary: summarizeVerdict(judged, judgement) };
}

/** Returns the item with the worst verdict, the first of several equal ones. @throws Error if the list is empty */
function findWorstByVerdict<One>(all: readonly One[], of: (one: One) => { readonly verdict: WindowVerdict }): One {
  const rank = (one: One) => WINDOW_VERDICTS.indexOf(of(one).verdict);
  return all.reduce((a, b) => (rank(b) > rank(a) ? b : a));
}

function createPieceMessage({ from, until, windows }: WindowPiece, own: TimedWindow, one: JudgedPiece) {
  const { verdict, impact, summary } = createShortVerdict(one);
  return {
    startsAt: new Date(from).toISOString(),
    ...(Number.isFinite(until) && { endsAt: new Date(until).toISOString() }),
    windowCodes: windows.filter((window) => window !== own).map(({ code }) => code),
    verdict: VerdictNumber[verdict],
    impact: ImpactNumber[impact],
    summary,
  };
}
