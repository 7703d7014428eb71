import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { getResourceKey, getResourceRef } from "#dc/model/resource_key.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { PortSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { convertModelToJson } from "../messages/model_json.ts";
import { listContainerRefs, RESOURCE_SCHEMAS } from "../writes/changes.ts";
import { type FeedEvent, type FeedRow, UnreadableEventError } from "./delivery.ts";

export type FeedTable = ResourceKind | "port";

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
