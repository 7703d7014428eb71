import type { ChangeRecord } from "#dc/model/change_record.ts";
import type { DcStore } from "#dc/ports.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { type ChangeNotice, createChangeNotice } from "./change_notice.ts";

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
export class LogTail {
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
