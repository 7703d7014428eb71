import type { DcContext } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcReader, DcStore } from "#dc/ports.ts";
import type { ListWindowsResponse } from "#gen/datacenter/v1/windows_pb.ts";
import type { ChangeNotice } from "./change_notice.ts";
import { LogTail } from "./log_tail.ts";
import { VerdictWatch } from "./verdict_watch.ts";

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
