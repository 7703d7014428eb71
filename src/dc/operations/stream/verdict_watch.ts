import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ListWindowsResponse } from "#gen/datacenter/v1/windows_pb.ts";
import { changedVerdicts, standingsOf, type WindowStandings } from "../planning/windows/changed_verdicts.ts";

/** How often the revision is read, in milliseconds. */
const LOOK_MS = 1000;
/** While one change follows another, verdicts are computed no more often than this, in milliseconds. */
const BUSY_MS = 10_000;
/** Number of latest events buffered for all streams together. Ours. */
const KEPT_EVENTS = 1000;

/** An event about verdicts as sent on an open stream: its name, and its data as JSON text. */
export interface VerdictEvent {
  readonly event: "verdicts" | "verdict";
  readonly json: string;
}

interface Needs {
  readonly revision: () => Promise<number>;
  /** Since 1970, in ms. */
  readonly now: () => number;
  /** Open windows with their verdicts now. */
  readonly openWindows: () => Promise<ListWindowsResponse>;
  /** Runs after events were added. */
  readonly arrived: () => void;
}

interface Known {
  readonly revision: number;
  readonly standings: WindowStandings;
  /** Until when they hold, since 1970 in ms. */
  readonly until: number;
}

/**
 * Compares the verdicts of open windows with those before, after changes of the inventory or of windows, and when the clock
 * changes them. It follows them once for all open streams.
 */
export class VerdictWatch {
  readonly #needs: Needs;
  #known: Known | undefined;
  #events: VerdictEvent[] = [];
  /** Number of the first event that is kept. */
  #first = 0;
  #seen = -1;
  #askedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#known = undefined;
    this.#first += this.#events.length;
    this.#events = [];
  }

  /** Position at which a stream begins that opens now. Undefined until verdicts are known. */
  get end(): number | undefined {
    return this.#known && this.#first + this.#events.length;
  }

  /** Says from which revision on changes of verdicts are sent. Lists asked for after it are current. */
  get beginning(): VerdictEvent {
    return { event: "verdicts", json: JSON.stringify({ revision: this.#known?.revision ?? 0 }) };
  }

  /** Events behind a position; undefined if they are not kept any more. */
  after(position: number): readonly VerdictEvent[] | undefined {
    return position < this.#first ? undefined : this.#events.slice(position - this.#first);
  }

  /** Compares if something changed, unless a comparison is under way or changes follow each other. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const revision = await this.#needs.revision();
      const isQuiet = revision === this.#seen;
      this.#seen = revision;
      if (this.#known !== undefined && !this.#isDue(this.#known, isQuiet)) return;
      const now = this.#needs.now();
      const reply = await this.#needs.openWindows();
      this.#askedAt = performance.now();
      if (this.#timer !== undefined) this.#take(reply, now);
    } catch {
      // Streams report an outage of the database themselves; the next look compares with what was known.
    } finally {
      this.#looking = false;
    }
  }

  #isDue({ revision, until }: Known, isQuiet: boolean): boolean {
    if (this.#needs.now() >= until) return true;
    return revision !== this.#seen && (isQuiet || performance.now() - this.#askedAt >= BUSY_MS);
  }

  #take({ revision, windows }: ListWindowsResponse, now: number): void {
    const before = this.#known;
    const standings = standingsOf(windows);
    const bounds = windows.flatMap(({ window }) =>
      [window?.startsAt, window?.endsAt].map((at) => at && timestampMs(at)),
    );
    const until = bounds.reduce<number>(
      (least, at = 0) => (at > now && at < least ? at : least),
      Number.POSITIVE_INFINITY,
    );
    this.#known = { revision, standings, until };
    const changed = before === undefined ? [] : changedVerdicts(before.standings, standings);
    for (const { code, was = null, is = null } of changed)
      this.#events.push({ event: "verdict", json: JSON.stringify({ window: `window:${code}`, revision, was, is }) });
    this.#first += Math.max(0, this.#events.length - KEPT_EVENTS);
    this.#events = this.#events.slice(-KEPT_EVENTS);
    if (before === undefined || changed.length > 0) this.#needs.arrived();
  }
}
