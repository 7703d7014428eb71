import { type DeviceType, getInheritedFields } from "#dc/model/inventory.ts";
import type { Device, Port, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { isJsonObject } from "#kernel/json_object.ts";

/** A resource made from a source's object, with the object's identity in that source. */
export type SourceItem = {
  readonly [Kind in ResourceKind]: {
    readonly kind: Kind;
    /** Unique and stable within the source, such as `device/12`; a cable with several lanes appends `#2`. */
    readonly id: string;
    readonly resource: ResourceByKind[Kind];
    /** Position of the object in the source, if that is a file of lines. */
    readonly place?: SourcePlace;
  };
}[ResourceKind];

export interface SourcePlace {
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
}

/** Content of a source that the inventory cannot store. */
export interface Omission {
  /** A short sentence, the same for every affected object. */
  readonly reason: string;
  /** Id of the affected object, such as `cable/12`; a table's name if whole tables are omitted. */
  readonly id: string;
  /** Name of the object in the source. */
  readonly name: string;
  /** Number of objects, if `id` names a table. */
  readonly count?: number;
  /** The affected value of the object. */
  readonly detail?: string;
}

/** The items and omissions made from a source's objects. */
export interface MappedSource {
  readonly items: readonly SourceItem[];
  readonly omissions: readonly Omission[];
  /** Kinds that the source contains; all if absent. A spreadsheet of devices does not mean that racks were removed. */
  readonly kinds?: readonly ResourceKind[];
}

const MAX_QUOTED_CHARS = 80;

/** Collects omissions during a mapping. */
export class OmissionLog {
  readonly omissions: Omission[] = [];

  addObject(reason: string, id: string, name: string, detail?: string): void {
    this.omissions.push({
      reason,
      id,
      name: shortenText(name),
      ...(detail !== undefined && detail !== "" && { detail: shortenText(detail) }),
    });
  }

  addTable(reason: string, table: string, count: number): void {
    this.omissions.push({ reason, id: table, name: table, count });
  }
}

function shortenText(text: string): string {
  return text.length <= MAX_QUOTED_CHARS ? text : `${text.slice(0, MAX_QUOTED_CHARS - 1)}…`;
}

/** Removes fields that are undefined, null, empty or false by default, because stored resources omit them. */
export function removeEmptyFields<Value extends object>(
  value: { readonly [Key in keyof Value]: Value[Key] | undefined },
): Value {
  return Object.fromEntries(Object.entries(value).filter((field) => !isEmptyField(...field))) as Value;
}

function isEmptyField(name: string, value: unknown): boolean {
  // A port is enabled by default.
  if (value === false) return name !== "enabled";
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Names of the fields, ports, labels and tags that an import has set. An import does not change others. */
export interface OwnedParts {
  readonly fields: readonly string[];
  /** Names of the fields of `power`. */
  readonly power?: readonly string[];
  readonly ports: readonly string[];
  readonly labels: readonly string[];
  readonly tags: readonly string[];
}

export const NO_OWNED_PARTS: OwnedParts = { fields: [], ports: [], labels: [], tags: [] };

type Fields = Readonly<Record<string, unknown>>;

/** Fields whose elements are merged one by one. */
const MERGED_FIELDS = ["ports", "labels", "tags", "power"];
/** Fields of a port that measurements and people set, but no source. */
const UNSOURCED_PORT_FIELDS = ["netRole", "rxMbps", "txMbps", "measuredAt"];
const UNSOURCED_INLET_FIELDS = ["sourceRef", "powerPath"];
const UNSOURCED_OUTLET_FIELDS = ["breakerPosition", "breakerPoles"];

/** Returns the fields, ports, labels and tags that an import sets with a resource. */
export function listOwnedParts(resource: ResourceByKind[ResourceKind]): OwnedParts {
  const { ports = [], labels = {}, tags = [] } = resource as Partial<Device>;
  return {
    fields: Object.keys(resource).filter((name) => !MERGED_FIELDS.includes(name)),
    ...((resource as Partial<Device>).power !== undefined && {
      power: Object.keys((resource as Partial<Device>).power ?? {}),
    }),
    ports: ports.map(({ name }) => name),
    labels: Object.keys(labels),
    tags,
  };
}

/**
 * Merges a source's values into a stored resource. Fields of the source replace stored ones, owned fields that it no
 * longer has are cleared, and all other fields stay.
 * @param kept names of ports that must stay although the source no longer has them
 */
export function mergeResource<Kind extends ResourceKind>(
  before: ResourceByKind[Kind],
  wanted: ResourceByKind[Kind],
  owned: OwnedParts,
  kept: ReadonlySet<string>,
): ResourceByKind[Kind] {
  const was = before as unknown as Fields;
  const is = wanted as unknown as Fields;
  const merged: Record<string, unknown> = { ...was };
  for (const name of owned.fields) if (!(name in is)) delete merged[name];
  Object.assign(merged, is);
  merged["labels"] = mergeLabels(was["labels"] as Labels, is["labels"] as Labels, owned.labels);
  merged["tags"] = mergeTags(was["tags"] as Tags, is["tags"] as Tags, owned.tags);
  if ("power" in was || "power" in is) {
    const stays = Object.entries((was["power"] as object | undefined) ?? {}).filter(
      ([name]) => !(owned.power ?? []).includes(name),
    );
    merged["power"] = { ...Object.fromEntries(stays), ...(is["power"] as object | undefined) };
  }
  if ("ports" in was || "ports" in is) {
    merged["ports"] = mergePorts(was["ports"] as Ports, is["ports"] as Ports, owned.ports, kept);
  }
  clearDerivedValues(merged, was, is);
  return removeEmptyFields(merged) as unknown as ResourceByKind[Kind];
}

type Labels = Readonly<Record<string, string>> | undefined;
type Tags = readonly string[] | undefined;
type Ports = readonly Port[] | undefined;

function mergeLabels(
  before: Labels = {},
  wanted: Labels = {},
  owned: readonly string[],
): Readonly<Record<string, string>> {
  const stays = Object.entries(before).filter(([key]) => !owned.includes(key));
  return { ...Object.fromEntries(stays), ...wanted };
}

function mergeTags(before: Tags = [], wanted: Tags = [], owned: readonly string[]): readonly string[] {
  return [...new Set([...wanted, ...before.filter((tag) => !owned.includes(tag))])];
}

/** Returns the ports of the source in its order, then those that people added and those that must stay. */
function mergePorts(
  before: Ports = [],
  wanted: Ports = [],
  owned: readonly string[],
  kept: ReadonlySet<string>,
): readonly Port[] {
  const known = new Map(before.map((port) => [port.name, port]));
  const names = new Set(wanted.map(({ name }) => name));
  const vanished = new Set(owned);
  return [
    ...wanted.map((port) => mergePort(known.get(port.name), port)),
    ...before.filter(({ name }) => !names.has(name) && (kept.has(name) || !vanished.has(name))),
  ];
}

function mergePort(before: Port | undefined, wanted: Port): Port {
  if (before === undefined || before.kind !== wanted.kind) return wanted;
  return removeEmptyFields<Port>({
    ...pickFields(before, UNSOURCED_PORT_FIELDS),
    ...wanted,
    powerIn: { ...pickFields(before.powerIn, UNSOURCED_INLET_FIELDS), ...wanted.powerIn },
    powerOut: { ...pickFields(before.powerOut, UNSOURCED_OUTLET_FIELDS), ...wanted.powerOut },
  } as Port);
}

function pickFields<Value extends object>(value: Value | undefined, names: readonly string[]): Partial<Value> {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => names.includes(name))) as Partial<Value>;
}

/** Clears values that the service derived from a changed value, so that it derives them again. */
function clearDerivedValues(merged: Record<string, unknown>, was: Fields, is: Fields): void {
  const hasChanged = (name: string) => merged[name] !== was[name];
  const dropUnlessGiven = (name: string) => {
    if (!(name in is)) delete merged[name];
  };
  if ("kind" in was && hasChanged("kind") && !("a" in was)) dropUnlessGiven("role");
  if ("rackCode" in merged || "parentDeviceCode" in merged) dropUnlessGiven("location");
  const moved = ["rackCode", "parentDeviceCode", "bay", "positionU"].some(hasChanged);
  if (!moved) return;
  for (const name of ["mount", "depth", "slot"]) dropUnlessGiven(name);
  if (!("serves" in is) && hasChanged("location")) dropUnlessGiven("serves");
}

/** Record of an imported object: its resource, and the fields that the import has set. */
export interface OriginRecord {
  readonly kind: ResourceKind;
  /** Identity of the resource: a code, or two ends. */
  readonly named: ResourceByKind[ResourceKind];
  readonly owned: OwnedParts;
}

/** Returns the document space of the objects imported from a source. */
export function formatOriginSpace(origin: string): string {
  return `origin:${origin}`;
}

export function formatOriginRecord({ kind, resource }: SourceItem): string {
  const named = "code" in resource ? { code: resource.code } : { a: resource.a, b: resource.b };
  return JSON.stringify({ kind, named, owned: listOwnedParts(resource) });
}

/** Parses an object's record; returns undefined for a record of another form. */
export function parseOriginRecord(text: string): OriginRecord | undefined {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value) || !isJsonObject(value["named"]) || !isJsonObject(value["owned"])) return undefined;
  return value as unknown as OriginRecord;
}

/** Device types by manufacturer and model, regardless of case. */
export type TypesByModel = ReadonlyMap<string, DeviceType>;

/** Returns the key of a device type by manufacturer and model; undefined if either is unknown. */
export function createModelKey(manufacturer: string | undefined, model: string | undefined): string | undefined {
  return manufacturer === undefined || model === undefined ? undefined : `${manufacturer}\n${model}`.toLowerCase();
}

/** Fills in fields that the source of a device lacks from its type in the catalogue. */
export function fillFromTypes(items: readonly SourceItem[], types: TypesByModel): readonly SourceItem[] {
  if (types.size === 0) return items;
  return items.map((item) => {
    if (item.kind !== "device") return item;
    const key = createModelKey(item.resource.manufacturer, item.resource.model);
    const type = key === undefined ? undefined : types.get(key);
    return type === undefined ? item : { ...item, resource: fillDeviceFromType(item.resource, type) };
  });
}

/**
 * Fills missing fields from the type: the depth if the device occupies units, the ports if the device has none, otherwise
 * draws of its inlets.
 */
export function fillDeviceFromType(device: Device, type: DeviceType): Device {
  const { depth, ...built } = getInheritedFields(type);
  const offered = device.positionU === undefined ? built : { ...built, depth };
  const missing = Object.entries(offered).filter(([name]) => device[name as keyof Device] === undefined);
  return removeEmptyFields<Device>({
    ...device,
    ...(device.ports !== undefined && { ports: fillDraws(device.ports, type.ports ?? []) }),
    ...Object.fromEntries(missing),
  });
}

/** Fills the draws of inlets without any from the type's inlets of the same names. */
function fillDraws(ports: readonly Port[], built: readonly Port[]): readonly Port[] {
  const inlets = new Map(built.filter(({ kind }) => kind === "POWER_IN").map((port) => [port.name, port.powerIn]));
  return ports.map((port) => {
    const { maxDrawW, allocatedDrawW } = (port.kind === "POWER_IN" && inlets.get(port.name)) || {};
    const isRecorded = port.powerIn?.maxDrawW !== undefined || port.powerIn?.allocatedDrawW !== undefined;
    if (isRecorded || (maxDrawW === undefined && allocatedDrawW === undefined)) return port;
    return { ...port, powerIn: removeEmptyFields({ ...port.powerIn, maxDrawW, allocatedDrawW }) };
  });
}
