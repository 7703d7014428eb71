import type { Topology } from "#dc/analysis/topology.ts";
import type { DeviceType } from "#dc/model/device_type.ts";
import type { InventoryKind } from "#dc/model/enum_values.ts";
import { fabricLinkRef } from "#dc/model/ref.ts";
import { fabricKey } from "#dc/model/resource_key.ts";
import type { Crac, Device, FabricLink, Location, Rack } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import type { CooperativeScheduler } from "../../answers/cooperative_scheduler.ts";
import type { ReadSession } from "../../rpc.ts";
import { allDeviceTypes } from "../device_types.ts";
import { type PlaceKind, placeRows } from "./places_listing.ts";

export interface SearchEntry {
  readonly kind: InventoryKind;
  readonly ref: string;
  readonly name: string;
  /** Everything that it can be found by, in lower case; the name comes first. */
  readonly text: string;
  /** Type and location. */
  readonly detail: string;
}

/** Entries and their words with how often they occur. */
export interface SearchIndex {
  readonly entries: readonly SearchEntry[];
  readonly words: ReadonlyMap<string, number>;
}

const indexes = new WeakMap<Topology, SearchIndex>();
/** Indexes with the types of a revision: a topology outlives changes of the catalogue. */
const completeIndexes = new WeakMap<Topology, { readonly revision: number; readonly index: SearchIndex }>();
/** Entries outlive a topology, since most things stay as they are from one to the next. */
const known = new WeakMap<object, SearchEntry>();
const CHUNK = 500;

/** The index of the inventory and the catalogue; built once per revision. Cost: O(things), a fraction of it after a change. */
export async function searchIndex({ topology, reader, scheduler }: ReadSession): Promise<SearchIndex> {
  const [known, revision] = [await topology(), await reader.revision()];
  const made = completeIndexes.get(known);
  if (made?.revision === revision) return made.index;
  const index = await withTypes(await inventoryIndex(known, scheduler), reader);
  completeIndexes.set(known, { revision, index });
  return index;
}

async function inventoryIndex(topology: Topology, scheduler: CooperativeScheduler): Promise<SearchIndex> {
  const made = indexes.get(topology);
  if (made !== undefined) return made;
  const entries: SearchEntry[] = [];
  const words = new Map<string, number>();
  for (const entry of entriesOf(topology)) {
    if (entries.push(entry) % CHUNK === 0) await scheduler.yieldIfDue();
    countWords(entry, words);
  }
  const index = { entries, words };
  indexes.set(topology, index);
  return index;
}

async function withTypes(index: SearchIndex, reader: DcReader): Promise<SearchIndex> {
  const types: SearchEntry[] = [];
  for await (const { resource } of allDeviceTypes(reader)) types.push(typeEntry(resource));
  if (types.length === 0) return index;
  const words = new Map(index.words);
  for (const entry of types) countWords(entry, words);
  return { entries: [...index.entries, ...types], words };
}

function countWords({ text }: SearchEntry, words: Map<string, number>): void {
  for (const word of text.split(/[^\p{L}\p{N}]+/u)) words.set(word, (words.get(word) ?? 0) + 1);
}

function* entriesOf(topology: Topology): Generator<SearchEntry> {
  const { inventory, power } = topology;
  for (const kind of ["site", "floor", "room", "row"] as const) yield* placeEntries(topology, kind);
  for (const rack of inventory.racks) yield cachedEntry(rack, rackEntry);
  for (const device of inventory.devices) yield cachedEntry(device, deviceEntry);
  for (const crac of inventory.cracs) yield cachedEntry(crac, cracEntry);
  for (const { ref } of power.nodes) {
    if (ref.startsWith("feed:")) yield entry({ kind: "SUPPLY", ref, name: ref.slice(5), detail: "feed", more: [] });
  }
  for (const id of new Map(inventory.fabricLinks.map((link) => [fabricKey(link), link.fabricId ?? ""])).values()) {
    if (id !== "") yield entry({ kind: "FABRIC", ref: `fabric:${id}`, name: id, detail: "fabric", more: [] });
  }
  for (const link of inventory.fabricLinks) yield cachedEntry(link, linkEntry);
}

function cachedEntry<Resource extends object>(
  resource: Resource,
  make: (resource: Resource) => SearchEntry,
): SearchEntry {
  const made = known.get(resource) ?? make(resource);
  known.set(resource, made);
  return made;
}

interface Described {
  readonly kind: InventoryKind;
  readonly ref: string;
  readonly name: string;
  readonly detail: string;
  /** What else it can be found by. */
  readonly more: readonly (string | undefined)[];
}

function entry({ kind, ref, name, detail, more }: Described): SearchEntry {
  const texts = [name, detail, ...more].filter((text) => text !== undefined && text !== "");
  return { kind, ref, name, detail, text: texts.join(" ").toLowerCase() };
}

function* placeEntries(topology: Topology, kind: PlaceKind): Generator<SearchEntry> {
  for (const { ref, name, racks, devices } of placeRows(topology, kind)) {
    const detail = `${kind} with ${racks} racks and ${devices} devices`;
    yield entry({ kind: kind.toUpperCase() as InventoryKind, ref, name, detail, more: [] });
  }
}

function rackEntry({ code, name, role, location, serial, assetTag, facilityId, tenant }: Rack): SearchEntry {
  const detail = [role === undefined ? "rack" : `${role} rack`, placeWords(location)].join(" ").trim();
  return entry({
    kind: "RACK",
    ref: `rack:${code}`,
    name: code,
    detail,
    more: [name, serial, assetTag, facilityId, tenant],
  });
}

function deviceEntry(device: Device): SearchEntry {
  const { code, name, role, kind, rackCode, positionU, location, serial, assetTag, model, manufacturer, tenant } =
    device;
  const what = [role, plainWord(kind)]
    .filter((word, at, all) => word !== undefined && all.indexOf(word) === at)
    .join(" ");
  const where = rackCode === undefined ? placeWords(location) : `in ${rackCode}`;
  const detail = `${what} ${where}${positionU === undefined ? "" : `, U${positionU}`}`.trim();
  const more = [name, serial, assetTag, model, manufacturer, tenant, location?.room];
  return entry({ kind: "DEVICE", ref: `device:${code}`, name: code, detail, more });
}

function cracEntry({ code, name, kind, location, serial, model, manufacturer }: Crac): SearchEntry {
  const detail = `${plainWord(kind)} ${placeWords(location)}`.trim();
  return entry({ kind: "CRAC", ref: `crac:${code}`, name: code, detail, more: [name, serial, model, manufacturer] });
}

function typeEntry({ code, manufacturer, model, partNumber, kind }: DeviceType): SearchEntry {
  const detail = `${plainWord(kind)} ${manufacturer} ${model}`;
  return entry({ kind: "DEVICE_TYPE", ref: `device_type:${code}`, name: code, detail, more: [partNumber] });
}

function linkEntry({ a, b, fabricId }: FabricLink): SearchEntry {
  const name = `${a.deviceCode} to ${b.deviceCode}`;
  const detail = `link${fabricId === undefined ? "" : ` of ${fabricId}`}, ${a.portName || "any port"} to ${b.portName || "any port"}`;
  return entry({ kind: "FABRIC_LINK", ref: fabricLinkRef(a, b), name, detail, more: [] });
}

/** `RACK_PDU` as "rack pdu". */
function plainWord(word: string): string {
  return word.toLowerCase().replaceAll("_", " ");
}

function placeWords(location: Location | undefined): string {
  if (location === undefined) return "";
  const { siteId, floorNumber, room, row } = location;
  const parts = [siteId, `floor ${floorNumber}`, room, row === undefined ? undefined : `row ${row}`];
  return `in ${parts.filter((part) => part !== undefined).join(", ")}`;
}
