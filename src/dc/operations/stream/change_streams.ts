import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ListWindowsResponse } from "#gen/datacenter/v1/windows_pb.ts";
import type { DcContext } from "../../context.ts";
import type { ChangeRecord } from "../../model/inventory.ts";
import { refuse } from "../../model/refusal.ts";
import type { DcReader, DcStore } from "../../ports.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { collectStandings, findChangedVerdicts, type WindowStandings } from "../planning/windows/list_windows.ts";

/** Maximum number of open streams of one server. Our choice: far above the readers of one site. */
const MAX_STREAMS = 1000;
// A proxy may send the streams of many readers over one connection. The limit is below its 250 HTTP/2 streams, so that
// a refusal can still use one.
const MAX_STREAMS_PER_PEER = 200;

/** Position at which a stream begins. */
export interface StreamStartPosition {
  /** Sequence number of the last entry that the reader has. */
  readonly seq: number;
  /** Sequence number of the last entry of the log. */
  readonly head: number;
  /** Time of the last change, ISO 8601 in UTC; absent before the first change. */
  readonly changedAt?: string;
  /** Whether entries after the reader's position cannot be sent: they are archived, or never were in this log. */
  readonly isReset: boolean;
}

/** A reader of the change log. It buffers at most one page of notices. */
export interface ChangeStream {
  readonly start: StreamStartPosition;
  /**
   * Waits up to `waitMs` for the next notices: changes in log order, or events about verdicts of windows. Returns [] if
   * there are none. Returns undefined if some can no longer be sent: entries were archived meanwhile, or the reader is
   * too far behind.
   * @throws OperationError if the database cannot be read
   */
  readNext(waitMs: number, signal: AbortSignal): Promise<readonly ChangeNotice[] | undefined>;
  close(): void;
}

export class ChangeStreams {
  readonly #store: DcStore;
  readonly #tail: LogTail;
  readonly #verdicts: VerdictWatch;
  readonly #peers = new Map<object, number>();
  #openCount = 0;

  /** @param openWindows lists open windows with their verdicts */
  constructor({ store, clock }: DcContext, openWindows: () => Promise<ListWindowsResponse>) {
    this.#store = store;
    this.#tail = new LogTail(store);
    this.#verdicts = new VerdictWatch({
      readRevision: () => store.revision(),
      now: () => clock.now().getTime(),
      listOpenWindows: openWindows,
      onEventsAdded: () => void this.#tail.wakeAll(),
    });
  }

  get count(): number {
    return this.#openCount;
  }

  /**
   * Opens a stream after the entry `after`, or after the last entry. The caller must close it.
   * @throws Refusal SERVER_BUSY when too many are open
   */
  async openStream(after: number | undefined, peer: object): Promise<ChangeStream> {
    const leave = this.#reserveSlot(peer);
    try {
      const start = await this.#store.read((reader) => readStartPosition(reader, after));
      this.#tail.start(start.head);
      this.#verdicts.start();
      return this.#createStream(start, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #createStream(start: StreamStartPosition, close: () => void): ChangeStream {
    let { seq } = start;
    const changes = async () => {
      const notices = await this.#tail.readAfter(seq);
      const [first] = notices;
      if (first !== undefined && first.seq !== seq + 1) return undefined;
      seq = notices.at(-1)?.seq ?? seq;
      return notices;
    };
    const verdicts = this.#createVerdictReader();
    const pending = async () => {
      const notices = await changes();
      if (notices?.length !== 0) return notices;
      return verdicts()?.map((event): ChangeNotice => ({ seq, ...event }));
    };
    const next = async (waitMs: number, signal: AbortSignal) => {
      const notices = await pending();
      if (notices?.length !== 0) return notices;
      await this.#tail.waitForEntries(seq, waitMs, signal);
      return pending();
    };
    return { start, readNext: next, close };
  }

  /** Returns the events about verdicts that a stream has not sent yet; undefined if some are no longer buffered. */
  #createVerdictReader() {
    let position: number | undefined;
    return () => {
      const from = position;
      position = this.#verdicts.endPosition ?? from;
      if (position === undefined) return [];
      return from === undefined ? [this.#verdicts.startEvent] : this.#verdicts.listEventsAfter(from);
    };
  }

  #reserveSlot(peer: object): () => void {
    const ofPeer = this.#peers.get(peer) ?? 0;
    if (this.#openCount >= MAX_STREAMS || ofPeer >= MAX_STREAMS_PER_PEER) {
      const most = this.#openCount >= MAX_STREAMS ? `${MAX_STREAMS} in all` : `${MAX_STREAMS_PER_PEER} per connection`;
      throw refuse("SERVER_BUSY", `Too many change streams are open: expected at most ${most}`);
    }
    this.#openCount++;
    this.#peers.set(peer, ofPeer + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#releaseSlot(peer);
      isOpen = false;
    };
  }

  #releaseSlot(peer: object): void {
    this.#openCount--;
    const left = (this.#peers.get(peer) ?? 1) - 1;
    if (left === 0) this.#peers.delete(peer);
    else this.#peers.set(peer, left);
    if (this.#openCount > 0) return;
    this.#tail.stop();
    this.#verdicts.stop();
  }
}

async function readStartPosition(reader: DcReader, after: number | undefined): Promise<StreamStartPosition> {
  const head = await reader.chainHead();
  const [last] = await reader.logRows(head.seq - 1, 1);
  const changedAt = last === undefined ? {} : { changedAt: last.occurredAt };
  const start = { seq: head.seq, head: head.seq, isReset: false, ...changedAt };
  if (after === undefined || after === head.seq) return start;
  const [next] = after > head.seq ? [] : await reader.logRows(after, 1);
  return next?.seq === after + 1 ? { ...start, seq: after } : { ...start, isReset: true };
}

/** Interval at which the revision is read, in milliseconds. */
const VERDICT_POLL_MS = 1000;
/** Minimum interval between two computations of verdicts while changes follow each other, in milliseconds. */
const MIN_COMPUTATION_GAP_MS = 10_000;
/** Maximum number of latest events buffered for all streams together. Our choice. */
const MAX_BUFFERED_EVENTS = 1000;

/** An event about verdicts as sent on an open stream: its name, and its data as JSON text. */
interface VerdictEvent {
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

/** Milliseconds between revision reads while a stream is open. Our choice: changes arrive within a second. */
const REVISION_POLL_MS = 500;
const PAGE_ENTRIES = 25;
/** Maximum number of cached full pages of older notices. Readers that resume at one position read the same pages. */
const MAX_CACHED_PAGES = 64;
/** Number of latest notices buffered for all streams together. Our choice: about a megabyte at most. */
const MAX_BUFFERED_NOTICES = 1000;

/** A stream that waits for changes. */
interface Follower {
  /** Time at which the wait ends, in milliseconds of the monotonic clock. */
  readonly until: number;
  readonly wake: (error?: unknown) => void;
}

/**
 * Reads the end of the change log once for all open streams. It polls the store's revision and so also detects writes
 * of other processes. Cost: one statement per interval while any stream is open.
 */
class LogTail {
  readonly #store: DcStore;
  readonly #followers = new Set<Follower>();
  readonly #scheduler = new CooperativeScheduler();
  #notices: ChangeNotice[] = [];
  /** Pages of old entries, which never change, by the sequence number before their first entry. */
  readonly #pages = new Map<number, Promise<readonly ChangeNotice[]>>();
  #revision = -1;
  #end = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isPolling = false;

  constructor(store: DcStore) {
    this.#store = store;
  }

  /** Starts to read the log after `end`, unless reading has started already. */
  start(end: number): void {
    if (this.#timer !== undefined) return;
    this.#notices = [];
    this.#end = end;
    this.#revision = -1;
    this.#timer = setInterval(() => {
      void this.#wakeExpired();
      void this.#pollRevision();
    }, REVISION_POLL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#notices = [];
    this.#pages.clear();
  }

  /** Returns at most a page of notices after `seq`: from memory, or from the log for a stream that is far behind. */
  async readAfter(seq: number): Promise<readonly ChangeNotice[]> {
    if (seq >= this.#end) return [];
    const first = this.#notices[0];
    if (first === undefined || seq < first.seq - 1) return this.#readEarlierPage(seq);
    const from = seq - first.seq + 1;
    return this.#notices.slice(from, from + PAGE_ENTRIES);
  }

  /**
   * Resolves when the log grows beyond `seq`, at the first check after `waitMs`, or when the signal aborts.
   * @throws OperationError if the database cannot be read
   */
  waitForEntries(seq: number, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (error?: unknown) => {
        this.#followers.delete(follower);
        signal.removeEventListener("abort", onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = () => wake();
      const follower = { until: performance.now() + waitMs, wake };
      this.#followers.add(follower);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted || seq < this.#end) wake();
    });
  }

  /** Ends all waits, so that the streams send new entries, or an event that is not in the log. */
  wakeAll(): Promise<void> {
    return this.#wakeFollowers([...this.#followers]);
  }

  async #pollRevision(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const revision = await this.#store.revision();
      if (revision !== this.#revision) {
        await this.#readNewEntries();
        this.#revision = revision;
      }
    } catch (error) {
      await this.#wakeFollowers([...this.#followers], error);
    } finally {
      this.#isPolling = false;
    }
  }

  async #readNewEntries(): Promise<void> {
    for (let more = true; more && this.#timer !== undefined; ) {
      const notices = await this.#readPage(this.#end);
      more = notices.length === PAGE_ENTRIES;
      if (notices.length === 0) return;
      this.#notices = [...this.#notices, ...notices].slice(-MAX_BUFFERED_NOTICES);
      this.#end = notices.at(-1)?.seq ?? this.#end;
      await this.wakeAll();
    }
  }

  /** Reads a page of the log, once for all streams that request it at about the same time. */
  async #readEarlierPage(after: number): Promise<readonly ChangeNotice[]> {
    const known = this.#pages.get(after);
    const page = known ?? this.#readPage(after);
    this.#pages.delete(after);
    this.#pages.set(after, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MAX_CACHED_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    // Failed and incomplete pages are read again.
    const isFull = await page.then(
      (notices) => notices.length === PAGE_ENTRIES,
      () => false,
    );
    if (!isFull && this.#pages.get(after) === page) this.#pages.delete(after);
    return page;
  }

  async #readPage(after: number): Promise<readonly ChangeNotice[]> {
    const rows = await this.#store.read((reader) => reader.logRows(after, PAGE_ENTRIES));
    return rows.map(({ body }) => createChangeNotice(JSON.parse(body) as ChangeRecord));
  }

  /**
   * Wakes followers whose wait ended. One timer serves all, because a thousand timers at once would fill a turn of the
   * event loop.
   */
  #wakeExpired(): Promise<void> {
    const now = performance.now();
    return this.#wakeFollowers([...this.#followers].filter(({ until }) => until <= now));
  }

  async #wakeFollowers(followers: readonly Follower[], error?: unknown): Promise<void> {
    for (const { wake } of followers) {
      await this.#scheduler.yieldIfDue();
      wake(error);
    }
  }
}

/** A change or an event as sent on an open stream, with its content as JSON text. */
export interface ChangeNotice {
  /** Sequence number of the change. An event about verdicts has that of the last change that was sent before it. */
  readonly seq: number;
  /** Name of the event; absent for a change. */
  readonly event?: string;
  readonly json: string;
}

/**
 * Summarizes an entry of the change log: actor, resource, request and the names of the changed fields. Notices omit the
 * values to stay small; `/audit/history` returns them.
 */
function createChangeNotice({ seq, ...entry }: ChangeRecord): ChangeNotice {
  const json = JSON.stringify({
    seq,
    occurred_at: entry.occurredAt,
    action: entry.action,
    entity: entry.entity,
    related: entry.related,
    changed_fields: entry.changedFields,
    principal: entry.actor.principal,
    request_id: entry.request.id,
    interface: entry.request.interface,
    method: entry.request.method,
    message: entry.message ?? "",
    source: entry.source,
  });
  return { seq, json };
}
