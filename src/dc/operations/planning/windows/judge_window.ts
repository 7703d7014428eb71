import { selectBatteries } from "#dc/analysis/power/battery.ts";
import { type AffectedContact, mergeContacts } from "#dc/analysis/window/contacts.ts";
import { judgeWindow } from "#dc/analysis/window/judgement.ts";
import { findRelievingRacks } from "#dc/analysis/window/relief.ts";
import {
  cutTime,
  getSeconds,
  sumAdjacentSeconds,
  type TimePiece,
  type TimeSpan,
} from "#dc/analysis/window/timeline.ts";
import { WINDOW_VERDICTS, type WindowImpact, type WindowVerdict } from "#dc/model/enum_values.ts";
import { isOpen, isOverdue, type MaintenanceWindow } from "#dc/model/maintenance_window.ts";
import { compareText } from "#dc/model/ref.ts";
import { refKey } from "#dc/model/resource_key.ts";
import { WindowImpact as ImpactNumber, WindowVerdict as VerdictNumber } from "#gen/datacenter/v1/windows_pb.ts";
import { readCount } from "../../answers/parameters.ts";
import { CONGESTED_PCT } from "../../messages/messages.ts";
import type { ReadSession } from "../../rpc.ts";
import { verdictSummary, windowReply } from "../window_reply.ts";
import {
  coveredBy,
  type JudgedPiece,
  judgePiece,
  type OutInPiece,
  type PieceOutage,
  pieceOutage,
  presentSources,
  type WindowQuestion,
} from "./judge_piece.ts";
import { KeptVerdicts, type ShortVerdict } from "./kept_verdicts.ts";

/** A window on the time line. The code of one that is only asked about is empty. */
export interface TimedWindow extends TimeSpan {
  readonly code: string;
  readonly refs: readonly string[];
  readonly accepted: readonly string[];
}

/** The windows that are planned or begun, on the time line. One that is overdue has no end. @param now ms since 1970 */
export function openWindows(windows: readonly MaintenanceWindow[], now: number): readonly TimedWindow[] {
  return windows.filter(isOpen).map((window) => ({
    code: window.code,
    from: Date.parse(window.startsAt),
    until: isOverdue(window, now) ? Number.POSITIVE_INFINITY : Date.parse(window.endsAt),
    refs: window.elementRefs,
    accepted: window.acceptedRefs ?? [],
  }));
}

/** Items of a list unless the request says otherwise, and at most. Source: docs/windows.md#limits. */
const DEFAULT_LISTED = 50;
const MAX_LISTED = 1000;
/** Racks that one more failure may take unless the request says otherwise: its own. */
export const USUAL_EXPOSED = 1;

/** Items of each list of a verdict. @throws Refusal when negative */
export function readListed(asked: number): number {
  return readCount("max_items", asked, { usual: DEFAULT_LISTED, most: MAX_LISTED });
}

/** All open windows on one time line, judged as CheckWindow does by default. */
export async function storedTimeline(session: ReadSession, stored: readonly MaintenanceWindow[]) {
  const now = Date.parse(session.now);
  const limits = { exposedRacks: USUAL_EXPOSED, uplinkPct: CONGESTED_PCT };
  const windows = openWindows(stored, now);
  const topology = await (windows.length === 0 ? session.topology() : session.judgedTopology());
  await KeptVerdicts.follow(session, topology);
  const timeline = new WindowTimeline({ session, topology, basis: "ALLOCATED", limits }, windows, now);
  const byCode = new Map(windows.map((window) => [window.code, window]));
  return { topology, timeline, timed: (code: string): TimedWindow | undefined => byCode.get(code) };
}

type WindowPiece = TimePiece<TimedWindow>;

/**
 * Judges windows on one time line: for the list, for one stored window, and for one that is only asked about. A verdict is that
 * of the worst piece that is not over; in each piece, everything is out that its windows take out.
 */
export class WindowTimeline {
  readonly #question: WindowQuestion;
  readonly #now: number;
  readonly #windows: readonly TimedWindow[];
  readonly #pieces: readonly WindowPiece[];
  readonly #own: ReadonlyMap<TimedWindow, readonly { readonly at: number }[]>;
  readonly #kept: KeptVerdicts;
  /** The last one, which batteries and verdict of a piece share. It is as large as the graph. */
  #lastOutage: { readonly key: string; readonly outage: Promise<PieceOutage> } | undefined;

  /** @param windows each once */
  constructor(question: WindowQuestion, windows: readonly TimedWindow[], now: number) {
    this.#question = question;
    this.#windows = windows;
    this.#now = now;
    this.#pieces = cutTime(windows);
    this.#own = Map.groupBy(
      this.#pieces.flatMap(({ windows: open }, at) => open.map((window) => ({ window, at }))),
      ({ window }) => window,
    );
    this.#kept = KeptVerdicts.of(question.topology);
    // A reply holds until the next window begins or ends.
    const bounds = windows.flatMap(({ from, until }) => [from, until]).filter((bound) => bound > now);
    question.session.lapsesAt(bounds.reduce((least, bound) => Math.min(least, bound), Number.POSITIVE_INFINITY));
  }

  /** The verdict alone, kept for the inventory as it is. Cost: nothing, or a judgement of each piece. */
  async verdict(window: TimedWindow): Promise<ShortVerdict> {
    return worstOf(await this.#verdicts(window), (one) => one);
  }

  /** What is out in the piece that the verdict is about. Cost: as of the verdict. */
  async worstPiece(window: TimedWindow): Promise<OutInPiece> {
    return worstOf(await this.#verdicts(window), (one) => one).out;
  }

  /** Fails what is out in a piece. Cost: nothing for the last one that was asked for, or a failure. */
  outage(out: OutInPiece): Promise<PieceOutage> {
    const key = JSON.stringify(out);
    const known = this.#lastOutage;
    const outage = known?.key === key ? known.outage : pieceOutage(this.#question, out);
    this.#lastOutage = { key, outage };
    return outage;
  }

  async #verdicts(window: TimedWindow): Promise<readonly (ShortVerdict & { readonly out: OutInPiece })[]> {
    const missing = await this.#missing(window);
    const found: (ShortVerdict & { readonly out: OutInPiece })[] = [];
    for (const at of this.#piecesOf(window)) {
      const out = { ...outIn(this.#pieces[at] as WindowPiece), durationS: await this.#durationOf(at), missing };
      const judged = async () => {
        const piece = await this.#judge(out);
        return { item: shortOf(piece), depends: piece.depends };
      };
      // The length is a figure of the verdict where a battery carries; otherwise it only says which batteries do.
      const told = (await this.#batteries(at)).carrying.length > 0 ? out.durationS : this.#batteriesIn(out);
      const key = JSON.stringify([{ ...out, durationS: told }, this.#options()]);
      found.push({ ...(await this.#kept.verdict(key, () => this.#coveredBy(out), judged)), out });
    }
    return found;
  }

  /** The reply about a window, without its revision. @param limit items of each list */
  async reply(window: TimedWindow, limit: number) {
    const missing = await this.#missing(window);
    const own = this.#piecesOf(window);
    const judged: (JudgedPiece & { readonly at: number })[] = [];
    for (const at of own) {
      const out = { ...outIn(this.#pieces[at] as WindowPiece), durationS: await this.#durationOf(at), missing };
      judged.push({ at, ...(await this.#judge(out)) });
    }
    const first = worstOf(judged, ({ judgement }) => judgement);
    const refused = judged.filter(({ judgement }) => judgement.verdict === "NO_GO");
    const contacts = mergeContacts(judged.map((one): readonly AffectedContact[] => one.contacts));
    const { impact } = judged.map((one) => one.judgement).reduce((a, b) => (isWorseImpact(b.impact, a.impact) ? b : a));
    return {
      ...windowReply(first.judged, first.judgement, { contacts, limit }),
      impact: ImpactNumber[impact],
      elementsFailed: first.tried,
      relievedBy: (await this.#relief(refused)).slice(0, limit),
      pieces: judged.slice(0, limit).map((one) => pieceMessage(this.#pieces[one.at] as WindowPiece, window, one)),
      omittedPieces: Math.max(0, judged.length - limit),
      blockingWindows: (await this.#blocking(window, own, refused)).slice(0, limit),
    };
  }

  async #judge(out: OutInPiece): Promise<JudgedPiece> {
    return judgePiece(this.#question, await this.outage(out));
  }

  #batteriesIn({ durationS }: { readonly durationS: number }) {
    return selectBatteries(this.#question.topology.power, durationS);
  }

  #options() {
    const { basis, limits } = this.#question;
    return [basis, limits];
  }

  async #missing({ refs }: TimedWindow): Promise<readonly string[]> {
    return (await presentSources(this.#question, refs)).missing;
  }

  /** Numbers of the pieces of a window that are not over. */
  #piecesOf(window: TimedWindow): readonly number[] {
    const own = (this.#own.get(window) ?? []).map(({ at }) => at);
    return own.filter((at) => (this.#pieces[at] as WindowPiece).until > this.#now);
  }

  /** Seconds that the batteries of a piece have to carry: its own, and those of the pieces beside it in which they carry too. */
  async #durationOf(at: number): Promise<number> {
    const own = getSeconds(this.#pieces[at] as WindowPiece);
    let longest = own;
    for (const ups of (await this.#batteries(at)).carrying) {
      const around = await sumAdjacentSeconds(this.#pieces, at, async (beside) =>
        (await this.#batteries(beside)).unsupplied.includes(ups),
      );
      longest = Math.max(longest, own + around);
    }
    return longest;
  }

  /** UPSes that carry in a piece by its own length, and all that lose their supply. */
  async #batteries(at: number) {
    const piece = this.#pieces[at] as WindowPiece;
    const out = { ...outIn(piece), durationS: getSeconds(piece), missing: [] };
    const key = JSON.stringify([out.refs, this.#batteriesIn(out), this.#question.basis]);
    const find = async () => {
      const { judged, depends } = await this.outage(out);
      const { outage, ground } = judged;
      const refOf = (index: number) => ground.site.power.nodes[index]?.ref ?? "";
      const carrying = outage.onBattery.map(({ index }) => refOf(index));
      return { item: { carrying, unsupplied: outage.unsupplied.map(refOf) }, depends };
    };
    return this.#kept.batteries(key, () => this.#coveredBy(out), find);
  }

  #coveredBy({ refs }: OutInPiece): Promise<ReadonlySet<number>> {
    return coveredBy(this.#question, refs);
  }

  /** Racks of which each alone, taken out as well, ends every NO_GO. */
  async #relief(refused: readonly JudgedPiece[]): Promise<readonly string[]> {
    let found: readonly string[] | undefined;
    for (const { window, judged } of refused) {
      const racks = await this.#question.session.scheduler.run(findRelievingRacks(window, judged));
      found = found?.filter((ref) => racks.includes(ref)) ?? racks;
      if (found.length === 0) return [];
    }
    return found ?? [];
  }

  /** Codes of the windows without each of which alone a window is better than NO_GO. Cost: a failure for each and piece. */
  async #blocking(window: TimedWindow, own: readonly number[], refused: readonly { readonly at: number }[]) {
    if (refused.length === 0) return [];
    const codes: string[] = [];
    for (const other of await this.#concerned(own)) {
      if (other === window) continue;
      const without = new WindowTimeline(
        this.#question,
        this.#windows.filter((one) => one !== other),
        this.#now,
      );
      if (!(await without.#isRefused(window))) codes.push(other.code);
    }
    return codes.sort(compareText);
  }

  /** Windows that are open in the pieces of a window, or in those around them in which a battery carries on. */
  async #concerned(own: readonly number[]): Promise<ReadonlySet<TimedWindow>> {
    const found = new Set<TimedWindow>();
    const isDraining = async (at: number) => (await this.#batteries(at)).unsupplied.length > 0;
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
  async #isRefused(window: TimedWindow): Promise<boolean> {
    for (const at of this.#piecesOf(window)) {
      const out = { ...outIn(this.#pieces[at] as WindowPiece), durationS: await this.#durationOf(at), missing: [] };
      if (judgeWindow((await this.outage(out)).judged).verdict === "NO_GO") return true;
    }
    return false;
  }
}

/** What is out in each piece: every window of a piece asks for it. */
const OUT_IN = new WeakMap<WindowPiece, ReturnType<typeof joinedOut>>();

function outIn(piece: WindowPiece) {
  const out = OUT_IN.get(piece) ?? joinedOut(piece);
  OUT_IN.set(piece, out);
  return out;
}

/** What is out in a piece, in an order that does not depend on that of its windows. */
function joinedOut({ windows }: WindowPiece) {
  // Of two spellings of one reference, the first in order.
  const sorted = (texts: readonly string[], keyOf: (text: string) => string) => {
    const byKey = new Map([...texts].sort((a, b) => compareText(b, a)).map((text) => [keyOf(text), text]));
    return [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, text]) => text);
  };
  const refs = windows.flatMap((window) => window.refs);
  const accepted = windows.flatMap((window) => window.accepted);
  return { refs: sorted(refs, refKey), accepted: sorted(accepted, (text) => text) };
}

function shortOf({ judged, judgement }: JudgedPiece): ShortVerdict {
  return { verdict: judgement.verdict, impact: judgement.impact, summary: verdictSummary(judged, judgement) };
}

/** Returns the item with the worst verdict, the first of several equal ones. @throws Error if the list is empty */
function worstOf<One>(all: readonly One[], of: (one: One) => { readonly verdict: WindowVerdict }): One {
  const rank = (one: One) => WINDOW_VERDICTS.indexOf(of(one).verdict);
  return all.reduce((a, b) => (rank(b) > rank(a) ? b : a));
}

function isWorseImpact(a: WindowImpact, b: WindowImpact): boolean {
  return ImpactNumber[a] > ImpactNumber[b];
}

function pieceMessage({ from, until, windows }: WindowPiece, own: TimedWindow, one: JudgedPiece) {
  const { verdict, impact, summary } = shortOf(one);
  return {
    startsAt: new Date(from).toISOString(),
    ...(Number.isFinite(until) && { endsAt: new Date(until).toISOString() }),
    windowCodes: windows.filter((window) => window !== own).map(({ code }) => code),
    verdict: VerdictNumber[verdict],
    impact: ImpactNumber[impact],
    summary,
  };
}
