import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ListWindowsResponse } from "#gen/datacenter/v1/windows_pb.ts";
import { collectStandings, findChangedVerdicts, type WindowStandings } from "../planning/windows/changed_verdicts.ts";

/** Interval at which the revision is read, in milliseconds. */
const VERDICT_POLL_MS = 1000;
/** Minimum interval between two computations of verdicts while changes follow each other, in milliseconds. */
const MIN_COMPUTATION_GAP_MS = 10_000;
/** Maximum number of latest events buffered for all streams together. Our choice. */
const MAX_BUFFERED_EVENTS = 1000;

/** An event about verdicts as sent on an open stream: its name, and its data as JSON text. */
export interface VerdictEvent {
  readonly event: "verdicts" | "verdict";
  readonly json: string;
}

interface VerdictSource {
  readonly readRevision: () => Promise<number>;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns the open windows with their current verdicts. */
  readonly listOpenWindows: () => Promise<ListWindowsResponse>;
  /** Called after events about verdicts were added. */
  readonly onEventsAdded: () => void;
}

interface KnownVerdicts {
  readonly revision: number;
  readonly standings: WindowStandings;
  /** Times from and until which the verdicts are valid, in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/**
 * Compares the verdicts of open windows with the previous ones: after changes of the inventory or of windows, and when
 * time passes a window's bounds. It compares once for all open streams.
 */
export class VerdictWatch {
  readonly #source: VerdictSource;
  #known: KnownVerdicts | undefined;
  #events: VerdictEvent[] = [];
  /** Number of the oldest buffered event. */
  #firstNumber = 0;
  #lastRevision = -1;
  #computedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isComparing = false;

  constructor(needs: VerdictSource) {
    this.#source = needs;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.compareVerdicts(), VERDICT_POLL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#known = undefined;
    this.#firstNumber += this.#events.length;
    this.#events = [];
  }

  /** Position after the last event, at which new streams begin. Undefined until verdicts were computed. */
  get endPosition(): number | undefined {
    return this.#known && this.#firstNumber + this.#events.length;
  }

  /**
   * First event of a stream, with the revision after which changes of verdicts follow. A list of windows that is
   * requested after this event is current.
   */
  get startEvent(): VerdictEvent {
    return { event: "verdicts", json: JSON.stringify({ revision: this.#known?.revision ?? 0 }) };
  }

  /** Returns the events after a position; undefined if they are no longer buffered. */
  listEventsAfter(position: number): readonly VerdictEvent[] | undefined {
    return position < this.#firstNumber ? undefined : this.#events.slice(position - this.#firstNumber);
  }

  /** Compares verdicts after a change, unless a comparison is running or changes follow each other too closely. */
  async compareVerdicts(): Promise<void> {
    if (this.#isComparing) return;
    this.#isComparing = true;
    try {
      const revision = await this.#source.readRevision();
      const isQuiet = revision === this.#lastRevision;
      this.#lastRevision = revision;
      if (this.#known !== undefined && !this.#isComparisonDue(this.#known, isQuiet)) return;
      const now = this.#source.now();
      const reply = await this.#source.listOpenWindows();
      this.#computedAt = performance.now();
      if (this.#timer !== undefined) this.#storeVerdicts(reply, now);
    } catch {
      // Streams report an outage of the database themselves; the next check compares with the last known verdicts.
    } finally {
      this.#isComparing = false;
    }
  }

  #isComparisonDue({ revision, from, until }: KnownVerdicts, isQuiet: boolean): boolean {
    const now = this.#source.now();
    if (now >= until || now < from) return true;
    return (
      revision !== this.#lastRevision && (isQuiet || performance.now() - this.#computedAt >= MIN_COMPUTATION_GAP_MS)
    );
  }

  #storeVerdicts({ revision, windows }: ListWindowsResponse, now: number): void {
    const before = this.#known;
    const standings = collectStandings(windows);
    const bounds = windows.flatMap(({ window }) =>
      [window?.startsAt, window?.endsAt].map((at) => at && timestampMs(at)),
    );
    const until = bounds.reduce<number>(
      (least, at = 0) => (at > now && at < least ? at : least),
      Number.POSITIVE_INFINITY,
    );
    this.#known = { revision, standings, from: now, until };
    const changed = before === undefined ? [] : findChangedVerdicts(before.standings, standings);
    for (const { code, was = null, is = null } of changed)
      this.#events.push({ event: "verdict", json: JSON.stringify({ window: `window:${code}`, revision, was, is }) });
    this.#firstNumber += Math.max(0, this.#events.length - MAX_BUFFERED_EVENTS);
    this.#events = this.#events.slice(-MAX_BUFFERED_EVENTS);
    if (before === undefined || changed.length > 0) this.#source.onEventsAdded();
  }
}
