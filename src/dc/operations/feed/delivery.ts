import { createHash } from "node:crypto";
import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { PortSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatCanonicalJson, isJsonObject } from "#kernel/json_object.ts";
import type { Steps } from "#kernel/steps.ts";
import { getResourceKey, getResourceRef } from "../../model/ref.ts";
import { refuse } from "../../model/refusal.ts";
import type { ResourceByKind, ResourceKind } from "../../model/resources.ts";
import { convertModelToJson } from "../messages/model_json.ts";
import { listContainerRefs, RESOURCE_SCHEMAS } from "../writes/changes.ts";
import { convertHlcToIso, convertMsToIso, isHlc } from "./commit_time.ts";

type FeedRow = Readonly<Record<string, unknown>>;

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

type FeedTable = ResourceKind | "port";

/** A change of one row, with the references that the change log uses. */
export interface RowChange {
  readonly table: FeedTable;
  /** The row's key, the same text for every version of the row. */
  readonly rowKey: string;
  /** Reference of the resource in the row. */
  readonly entity: string;
  /** The reference under which the log records the row: for a port, that of its device. */
  readonly loggedAs: string;
  readonly related: readonly string[];
  readonly before?: JsonObject;
  /** The row after the change; absent for a deleted row. */
  readonly after?: JsonObject;
  /** Time at which this service wrote this version; absent if the row does not contain it. */
  readonly writtenAt?: string;
}

/**
 * Parses the row of an event. Returns undefined for tables that are not logged. The log's own table is not logged,
 * because each entry would cause another.
 * @throws UnreadableEventError for a row that this service cannot have written
 */
export function readRowChange(event: FeedEvent): RowChange | undefined {
  const table = parseFeedTable(event.table);
  if (table === undefined) return undefined;
  return table === "port" ? readPortRow(event) : readResourceRow(table, event);
}

function parseFeedTable(name: string): FeedTable | undefined {
  return name === "port" || Object.hasOwn(RESOURCE_SCHEMAS, name) ? (name as FeedTable) : undefined;
}

function readResourceRow(kind: ResourceKind, event: FeedEvent): RowChange {
  const [key = ""] = readPrimaryKey(event, ["key"]);
  const was = event.before === undefined ? undefined : parseRowBody(RESOURCE_SCHEMAS[kind], event.before);
  const is = event.after === null ? undefined : parseRowBody(RESOURCE_SCHEMAS[kind], event.after);
  const entity = findRowRef(kind, key, (is ?? was)?.model);
  const updateTime = event.after?.["update_time"];
  return {
    table: kind,
    rowKey: JSON.stringify([key]),
    entity,
    loggedAs: entity,
    related: [...new Set([was, is].flatMap((one) => (one === undefined ? [] : listRelatedRefs(one.model))))],
    ...(was !== undefined && { before: was.json }),
    ...(is !== undefined && { after: is.json }),
    ...(typeof updateTime === "string" && { writtenAt: updateTime }),
  };
}

function readPortRow(event: FeedEvent): RowChange {
  const [device = "", name = ""] = readPrimaryKey(event, ["device_key", "name"]);
  return {
    table: "port",
    rowKey: JSON.stringify([device, name]),
    entity: `port:${device}/${name}`,
    loggedAs: `device:${device}`,
    related: [`device:${device}`],
    ...(event.before !== undefined && { before: parseRowBody(PortSchema, event.before).json }),
    ...(event.after !== null && { after: parseRowBody(PortSchema, event.after).json }),
  };
}

/** Returns the values of the primary key, from the feed's key or from the row. */
function readPrimaryKey({ key, after, before }: FeedEvent, columns: readonly string[]): readonly string[] {
  const row = after ?? before ?? {};
  const given = Array.isArray(key)
    ? key
    : columns.map((name) => (isJsonObject(key) ? key[name] : undefined) ?? row[name]);
  if (given.length === columns.length && given.every((value): value is string => typeof value === "string"))
    return given;
  throw new UnreadableEventError(`The row's key cannot be read: expected text for ${columns.join(", ")}`);
}

/** Parses the resource in a row's body, from which its other columns are derived. */
function parseRowBody(schema: DescMessage, row: FeedRow): { readonly model: object; readonly json: JsonObject } {
  const { body } = row;
  if (typeof body !== "string")
    throw new UnreadableEventError('Cannot read field "body" of the row: expected JSON text');
  try {
    const model: unknown = JSON.parse(body);
    if (!isJsonObject(model))
      throw new UnreadableEventError('Cannot read field "body" of the row: expected a JSON object');
    return { model, json: convertModelToJson(schema, model) };
  } catch (error) {
    if (error instanceof UnreadableEventError) throw error;
    throw new UnreadableEventError(`The row's body is no ${schema.name}`);
  }
}

type AnyResource = ResourceByKind[ResourceKind];

function findRowRef(kind: ResourceKind, key: string, model: object | undefined): string {
  try {
    const resource = model as AnyResource;
    if (model !== undefined && getResourceKey(resource) === key) return getResourceRef(kind, resource as never);
  } catch {
    // The body has no code; the key identifies the row.
  }
  return `${kind}:${key}`;
}

function listRelatedRefs(model: object): readonly string[] {
  try {
    return listContainerRefs(model as AnyResource);
  } catch {
    return [];
  }
}
