import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  isFieldSet,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  CablePathSchema,
  CableSchema,
  CracSchema,
  DeviceSchema,
  FabricLinkSchema,
  RackSchema,
  SegmentKind,
  Severity,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { DeviceTypeSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { KeptReadingSchema } from "#gen/datacenter/v1/readings_pb.ts";
import { rule } from "#gen/datacenter/v1/rules_pb.ts";
import type { Steps } from "#kernel/steps.ts";
import type { CablePath } from "../../analysis/cabling/supply_trace.ts";
import { computeOutletCapacityW } from "../../model/draw.ts";
import { roundFigure } from "../../model/figure.ts";
import { refuse } from "../../model/refusal.ts";
import type { Device, DeviceBody, FabricLink, Port } from "../../model/resources.ts";
import type { StoredVersion } from "../../ports.ts";
import { findEnumPrefix, listFieldPlans } from "./model_json.ts";

// Converts between messages and the model. In the model, enumeration values are text, times are ISO 8601, and empty
// fields are absent. Both directions follow the descriptors, so that a new proto field requires no change here.

type PlainObject = Record<string, unknown>;

/** Converts a message to the model's form. @throws Refusal for an unknown enumeration value and for U+0000 */
export function convertFromMessage<Model>(schema: DescMessage, message: object, path = ""): Model {
  const plain: PlainObject = {};
  for (const { field, isAlways } of listFieldPlans(schema)) {
    if (!(isAlways || isFieldSet(message as MessageShape<DescMessage>, field))) continue;
    const value = (message as PlainObject)[field.localName];
    plain[field.localName] = readFieldValue(field, value, path === "" ? field.name : `${path}.${field.name}`);
  }
  return plain as Model;
}

function readFieldValue(field: DescField, value: unknown, path: string): unknown {
  switch (field.fieldKind) {
    case "list":
      return (value as readonly unknown[]).map((item, index) => readSingleValue(field, item, `${path}[${index}]`));
    case "map":
      return readMapEntries(value as PlainObject, path);
    default:
      return readSingleValue(field, value, path);
  }
}

function readSingleValue(field: DescField, value: unknown, path: string): unknown {
  if (field.enum !== undefined) return requireEnumName(field.enum, value as number, path);
  if (field.message === undefined) return typeof value === "string" ? requireNoNul(value, path) : value;
  if (field.message.typeName === "google.protobuf.Timestamp")
    return new Date(convertTimestampToMs(value as Timestamp, path)).toISOString();
  return convertFromMessage(field.message, value as object, path);
}

function readMapEntries(pairs: PlainObject, path: string): PlainObject {
  for (const [key, value] of Object.entries(pairs)) {
    requireNoNul(key, path);
    if (typeof value === "string") requireNoNul(value, `${path}[${key}]`);
  }
  return { ...pairs };
}

/** Rejects U+0000: some databases cannot store it, and no name or note requires it. */
function requireNoNul(text: string, path: string): string {
  if (!text.includes("\0")) return text;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" holds U+0000`, { field: path, expected: "text without U+0000" });
}

/** Earliest and latest time in milliseconds that RFC 3339, and so JSON, can represent. */
const MIN_TIME_MS = Date.parse("0001-01-01T00:00:00.000Z");
const MAX_TIME_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Converts a timestamp to milliseconds since 1970.
 * @throws Refusal for a time that JSON cannot represent; binary messages can contain one
 */
export function convertTimestampToMs(value: Timestamp, path: string): number {
  const ms = timestampMs(value);
  if (ms >= MIN_TIME_MS && ms <= MAX_TIME_MS) return ms;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" is no moment`, { field: path, expected: "a moment of RFC 3339" });
}

function requireEnumName(desc: DescEnum, number: number, path: string): string {
  const value = desc.value[number];
  if (value !== undefined && number !== 0) return value.name.slice(findEnumPrefix(desc).length);
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${path}" has no value ${number}`, {
    field: path,
    value: number,
    expected: desc.values
      .filter((one) => one.number !== 0)
      .map((one) => one.name)
      .join(", "),
  });
}

const numbersByEnum = new WeakMap<DescEnum, ReadonlyMap<unknown, number>>();

/** Returns the numbers of an enumeration's values by the names that the model uses. */
function mapEnumNumbers(desc: DescEnum): ReadonlyMap<unknown, number> {
  const prefix = findEnumPrefix(desc);
  return new Map(desc.values.map(({ name, number }) => [name.slice(prefix.length), number]));
}

/** Converts a model value to a message. Ignores properties that are not fields of the message. */
export function convertToMessage<Desc extends DescMessage>(schema: Desc, model: object): MessageShape<Desc> {
  const init: PlainObject = {};
  for (const field of schema.fields) {
    const value = (model as PlainObject)[field.localName];
    if (value !== undefined) init[field.localName] = writeFieldValue(field, value);
  }
  return create(schema, init as never);
}

function writeFieldValue(field: DescField, value: unknown): unknown {
  if (field.fieldKind === "list") return (value as readonly unknown[]).map((item) => writeSingleValue(field, item));
  return field.fieldKind === "map" ? value : writeSingleValue(field, value);
}

function writeSingleValue(field: DescField, value: unknown): unknown {
  if (field.enum !== undefined) {
    const numbers = numbersByEnum.getOrInsertComputed(field.enum, mapEnumNumbers);
    return typeof value === "number" ? value : (numbers.get(value) ?? 0);
  }
  if (field.message === undefined) return value;
  // A Struct is plain JSON already.
  if (field.message.typeName === "google.protobuf.Struct") return value;
  if (field.message.typeName === "google.protobuf.Timestamp") return timestampFromDate(new Date(value as string));
  // A message that is already built, such as a picture or a structure, is returned unchanged.
  return (value as PlainObject)["$typeName"] === undefined ? convertToMessage(field.message, value as object) : value;
}

/** Bounds of int32 fields. Values beyond them, such as large sums, are clamped. */
const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);
/** Number of messages that are fitted in one step. Our choice: some hundred microseconds of work. */
const MESSAGES_PER_STEP = 1024;

/** Messages whose figures are as a person or meter recorded them. Only their computed fields are rounded. */
const RECORDED_MESSAGES: readonly DescMessage[] = [
  CableSchema,
  CracSchema,
  DeviceSchema,
  DeviceTypeSchema,
  FabricLinkSchema,
  KeptReadingSchema,
  RackSchema,
];

/** Messages with recorded figures, those inside of others included. */
function collectRecordedMessages(): ReadonlySet<DescMessage> {
  const found = new Set(RECORDED_MESSAGES);
  for (const desc of found) for (const { field } of listFieldPlans(desc)) if (field.message) found.add(field.message);
  return found;
}

const recordedMessages = collectRecordedMessages();
const fittedByMessage = new WeakMap<DescMessage, readonly DescField[]>();

/** Lists the fields that hold computed figures or messages. No member of a oneof in a reply does. */
function listFittedFields(desc: DescMessage): readonly DescField[] {
  return desc.fields.filter((field) => {
    const { oneof, scalar, message } = field;
    if (oneof !== undefined || message?.typeName.startsWith("google.protobuf.")) return false;
    if (recordedMessages.has(desc) && !getOption(field, rule).output) return false;
    return message !== undefined || scalar === ScalarType.INT32 || scalar === ScalarType.DOUBLE;
  });
}

/**
 * Rounds the computed figures of a reply in place: to whole numbers where the wire carries these, else to thousandths.
 * Analyses compute with fractions, so that each figure is rounded once and is the same in every reply.
 */
export function* fitFigures<Desc extends DescMessage>(desc: Desc, reply: MessageShape<Desc>): Steps<void> {
  const open: TypedMessage[] = [{ desc, message: reply }];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (count % MESSAGES_PER_STEP === 0) yield;
    fitFields(next, open);
  }
}

interface TypedMessage {
  readonly desc: DescMessage;
  readonly message: PlainObject;
}

/** Rounds a message's own figures, and adds the messages in it to `open`. */
function fitFields({ desc, message }: TypedMessage, open: TypedMessage[]): void {
  for (const field of fittedByMessage.getOrInsertComputed(desc, listFittedFields)) {
    const value = message[field.localName];
    if (value === undefined) continue;
    if (field.message === undefined)
      message[field.localName] = fitValue(value, field.scalar === ScalarType.INT32 ? fitInt32 : roundFigure);
    else for (const inner of listMessages(field, value)) open.push({ desc: field.message, message: inner });
  }
}

function fitValue(value: unknown, round: (figure: number) => number): unknown {
  if (typeof value === "number") return round(value);
  if (Array.isArray(value)) return value.map((one) => fitValue(one, round));
  return Object.fromEntries(Object.entries(value as PlainObject).map(([key, one]) => [key, fitValue(one, round)]));
}

/** Rounds a figure half up. Rounding to thousandths first makes the order in which it was summed irrelevant. */
function fitInt32(figure: number): number {
  return Math.min(Math.max(Math.round(roundFigure(figure)), MIN_INT32), MAX_INT32) + 0;
}

function listMessages({ fieldKind }: DescField, value: unknown): readonly PlainObject[] {
  if (fieldKind === "list") return value as readonly PlainObject[];
  return fieldKind === "map" ? Object.values(value as Record<string, PlainObject>) : [value as PlainObject];
}

/** Utilization in percent from which a link is congested. Source: docs/contract/datacenter-analyses.md#fabric. */
export const CONGESTED_PCT = 80;
/** Utilization in percent from which a link is watched. Source: docs/rpcs.md#fabrictopology. */
export const WATCHED_PCT = 60;

/** Returns the message of a resource with its version. */
export function createStoredMessage<Desc extends DescMessage>(
  schema: Desc,
  { resource, etag, createTime, updateTime }: StoredVersion<object>,
): MessageShape<Desc> {
  return convertToMessage(schema, { ...resource, etag, createTime, updateTime });
}

/** Returns a device's message, including the computed fields of its ports. */
export function createDeviceMessage(stored: StoredVersion<Device>) {
  const { resource } = stored;
  const ports = resource.ports?.map((port) => createPortFields(resource.code, port));
  return createStoredMessage(DeviceSchema, {
    ...stored,
    resource: { ...resource, ...(ports !== undefined && { ports }) },
  });
}

/** Returns a port's fields with its device and, for an outlet, its capacity. */
export function createPortFields(deviceCode: string, port: Port): object {
  const capacityW = port.powerOut === undefined ? undefined : computeOutletCapacityW(port.powerOut);
  const powerOut = { ...port.powerOut, capacityW };
  return { ...port, deviceCode, ...(port.powerOut !== undefined && { powerOut }) };
}

/** Returns a device's message as lists show it: without ports, labels and comments. */
export function createBasicDeviceMessage(stored: StoredVersion<DeviceBody>) {
  const { labels: _, comments: __, ...resource } = stored.resource;
  return createStoredMessage(DeviceSchema, { ...stored, resource });
}

/**
 * Returns a link's message with utilization. Leaves `physical` unset, because computing it requires tracing the cables.
 */
export function createFabricLinkMessage(stored: StoredVersion<FabricLink>) {
  const { aToBMbps = 0, bToAMbps = 0, capacityMbps } = stored.resource;
  const utilizationPct = capacityMbps === undefined ? 0 : (Math.max(aToBMbps, bToAMbps) / capacityMbps) * 100;
  const resource = { ...stored.resource, utilizationPct, congested: utilizationPct >= CONGESTED_PCT };
  return createStoredMessage(FabricLinkSchema, { ...stored, resource });
}

export function createPathMessage({ hops, segments, problems, ...path }: CablePath) {
  return convertToMessage(CablePathSchema, {
    ...path,
    hops: hops.map(({ device, inPort, outPort }) => {
      const { code: deviceCode, status = "ACTIVE" } = device;
      return { ...device, deviceCode, status, inPort, outPort };
    }),
    segments: segments.map((segment) => ({
      ...segment,
      kind: segment.cable === undefined ? SegmentKind.INTERNAL : SegmentKind.CABLE,
    })),
    findings: problems.map((problem) => ({ ...problem, severity: Severity.WARNING })),
  });
}

/**
 * Returns the first items of a list, converted by `create`, and the number of omitted items, as fields such as `zones`
 * and `omittedZones`.
 */
export function limitListFields<Name extends string, Item, Listed = Item>(
  name: Name,
  items: readonly Item[],
  limit: number,
  create?: (item: Item) => Listed,
): LimitedListFields<Name, NoInfer<Listed>> {
  const shown = items.slice(0, limit);
  const omitted = `omitted${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const listed = create === undefined ? shown : shown.map(create);
  return { [name]: listed, [omitted]: items.length - shown.length } as LimitedListFields<Name, Listed>;
}

type LimitedListFields<Name extends string, Listed> = Readonly<
  Record<Name, Listed[]> & Record<`omitted${Capitalize<Name>}`, number>
>;
