import { createHash } from "node:crypto";
import { refuse } from "#dc/model/refusal.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { Steps } from "#kernel/steps.ts";
import { convertHlcToIso, convertMsToIso, isHlc } from "./commit_time.ts";

export type FeedRow = Readonly<Record<string, unknown>>;

/** One row version that a change feed delivers. */
export interface FeedEvent {
  readonly table: string;
  /** Primary key in the feed's form: a list of values, or values by column. */
  readonly key: unknown;
  /** Distinguishes this version from others of its row: the commit's clock reading, its log position, or a hash. */
  readonly mark: string;
  /** Commit time of the version, ISO 8601 in UTC; absent if the feed does not send it. */
  readonly at?: string;
  /** The row after the change; null for a deleted row. */
  readonly after: FeedRow | null;
  /** The row before the change; absent if the feed does not send it. */
  readonly before?: FeedRow;
}

/** An event and its raw form. */
export interface ReceivedEvent {
  readonly event: FeedEvent;
  readonly raw: unknown;
}

/** An event that cannot be parsed, and the reason. */
export interface UnreadableEvent {
  readonly reason: string;
  readonly event: unknown;
}

export interface Delivery {
  readonly events: readonly ReceivedEvent[];
  readonly poison: readonly UnreadableEvent[];
  /** Clock reading up to which every change has been delivered. */
  readonly resolved?: string;
}

/** Thrown for one event; the other events of its delivery are still processed. */
export class UnreadableEventError extends Error {}

/**
 * Parses a delivery in steps, in any supported dialect: CockroachDB's wrapped, bare and enriched envelopes in batches, its
 * resolved message, and Debezium's events, single or in a list.
 *
 * Source: CockroachDB, Webhook sink; Debezium, Data change events.
 * @throws Refusal if a batch does not contain the announced number of events, so that the feed sends it again
 */
export function* readDelivery(body: unknown): Steps<Delivery> {
  if (isJsonObject(body) && "resolved" in body && !("payload" in body)) {
    const { resolved } = body;
    return isHlc(resolved)
      ? { events: [], poison: [], resolved }
      : createUnreadableDelivery("resolved is no clock reading", body);
  }
  if (isJsonObject(body) && Array.isArray(body["payload"])) {
    const { payload, length } = body;
    if (length !== undefined && length !== payload.length) {
      const message = `The delivery says length ${String(length)} and holds ${payload.length} events`;
      throw refuse("FIELD_OUT_OF_RANGE", message, { field: "length", expected: String(payload.length) });
    }
    return yield* readEvents(payload);
  }
  return yield* readEvents(Array.isArray(body) ? body : [body]);
}

function* readEvents(elements: readonly unknown[]): Steps<Delivery> {
  const events: ReceivedEvent[] = [];
  const poison: UnreadableEvent[] = [];
  for (const element of elements) {
    yield;
    try {
      const event = readEvent(element);
      if (event !== undefined) events.push({ event, raw: element });
    } catch (error) {
      if (!(error instanceof UnreadableEventError)) throw error;
      poison.push({ reason: error.message, event: element });
    }
  }
  return { events, poison };
}

function createUnreadableDelivery(reason: string, event: unknown): Delivery {
  return { events: [], poison: [{ reason, event }] };
}

/** Parses one event. Returns undefined for an event without a row, such as a tombstone or a log message. */
function readEvent(element: unknown): FeedEvent | undefined {
  if (element === null) return undefined;
  if (!isJsonObject(element)) throw new UnreadableEventError("An event is no object");
  const { payload, __crdb__: bare } = element;
  if (payload === null) return undefined;
  if (isJsonObject(payload))
    return readEvent({ ...(element["key"] !== undefined && { key: element["key"] }), ...payload });
  if (isJsonObject(bare)) return readBareEvent(element, bare);
  if (typeof element["op"] === "string" && isJsonObject(element["source"]))
    return readEventWithSource(element, element["source"]);
  if ("after" in element && typeof element["topic"] === "string") return readWrappedEvent(element);
  throw new UnreadableEventError("An event is of no dialect that is known: expected CockroachDB's or Debezium's");
}

function readWrappedEvent({ topic, key, updated, after, before }: FeedRow): FeedEvent {
  const rows = readRows(after, before);
  return { table: parseTopicTable(topic), key, ...readMarkAndTime(updated, undefined, rows), ...rows };
}

function readBareEvent(element: FeedRow, { topic, key, updated }: FeedRow): FeedEvent {
  const { __crdb__: _, ...columns } = element;
  return readWrappedEvent({ topic, key, updated, after: Object.keys(columns).length === 0 ? null : columns });
}

/** Parses an event with a source: Debezium's, or CockroachDB's enriched envelope, which has the same form. */
function readEventWithSource(
  { op, key, after, before, ts_ms: toldMs }: FeedRow,
  source: FeedRow,
): FeedEvent | undefined {
  if (op === "m") return undefined;
  if (!["c", "u", "d", "r"].includes(String(op)))
    throw new UnreadableEventError(`Operation "${String(op)}" is of no one row`);
  const rows = readRows(op === "d" ? null : after, before);
  const { table_name: name, table, ts_hlc: hlc, lsn, txId, ts_ms: committedMs } = source;
  const position = hlc ?? (lsn === undefined || lsn === null ? undefined : `lsn ${String(lsn)}`);
  const mark = position ?? (txId === undefined || txId === null ? undefined : `tx ${String(txId)}`);
  return { table: parseTopicTable(name ?? table), key, ...readMarkAndTime(mark, committedMs ?? toldMs, rows), ...rows };
}

type RowVersions = Pick<FeedEvent, "after" | "before">;

function readRows(after: unknown, before: unknown): RowVersions {
  if (after !== null && !isJsonObject(after)) throw new UnreadableEventError("after is no row");
  if (before !== undefined && before !== null && !isJsonObject(before))
    throw new UnreadableEventError("before is no row");
  return { after, ...(isJsonObject(before) && { before }) };
}

function readMarkAndTime(mark: unknown, ms: unknown, rows: RowVersions): Pick<FeedEvent, "mark" | "at"> {
  const at = isHlc(mark) ? convertHlcToIso(mark) : typeof ms === "number" ? convertMsToIso(ms) : undefined;
  const told = typeof mark === "string" || typeof mark === "number";
  // Some feeds send no position. Equal versions of a row then have the same mark.
  const shown = told ? String(mark) : createHash("sha256").update(formatCanonicalJson(rows)).digest("hex");
  return { mark: shown, ...(at !== undefined && { at }) };
}

/** Returns the table of a topic, whose name may be qualified with database and schema. */
function parseTopicTable(topic: unknown): string {
  if (typeof topic !== "string") throw new UnreadableEventError("An event names no table");
  return topic.slice(topic.lastIndexOf(".") + 1).replaceAll('"', "");
}
