import type { Topology } from "#dc/analysis/topology.ts";
import type { InventoryKind } from "#dc/model/enum_values.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { formatFabricLinkRef, getFabricKey } from "#dc/model/ref.ts";
import type { Crac, Device, FabricLink, Location, Rack } from "#dc/model/resources.ts";
import type { ReadSession } from "../../rpc.ts";
import { readAllDeviceTypes } from "../device_types.ts";
import { listPlaceRows, type PlaceKind } from "./places_listing.ts";

export interface SearchEntry {
  readonly kind: InventoryKind;
  readonly ref: string;
  readonly name: string;
  /** All searchable texts of the entry, in lower case; the name comes first. */
  readonly text: string;
  /** Type and location, as results show them. */
  readonly detail: string;
}

/** Entries and their words with the number of occurrences. */
export interface SearchIndex {
  readonly entries: readonly SearchEntry[];
  readonly words: ReadonlyMap<string, number>;
}

const indexesByTopology = new WeakMap<Topology, { readonly revision: number; readonly index: SearchIndex }>();
const ENTRIES_PER_SLICE = 500;

/** Returns the index of inventory and catalogue, built once per revision. Cost: O(resources). */
export async function buildSearchIndex({ topology, reader, scheduler }: ReadSession): Promise<SearchIndex> {
  const [known, revision] = [await topology(), await reader.revision()];
  // A topology stays when only the catalogue changes.
  const made = indexesByTopology.get(known);
  if (made?.revision === revision) return made.index;
  const entries: SearchEntry[] = [];
  for (const entry of listEntries(known))
    if (entries.push(entry) % ENTRIES_PER_SLICE === 0) await scheduler.yieldIfDue();
  for await (const { resource } of readAllDeviceTypes(reader)) entries.push(createTypeEntry(resource));
  const words = new Map<string, number>();
  for (const [at, { text }] of entries.entries()) {
    if (at % ENTRIES_PER_SLICE === 0) await scheduler.yieldIfDue();
    for (const word of text.split(/[^\p{L}\p{N}]+/u)) words.set(word, (words.get(word) ?? 0) + 1);
  }
  const index = { entries, words };
  indexesByTopology.set(known, { revision, index });
  return index;
}

function* listEntries(topology: Topology): Generator<SearchEntry> {
  const { inventory, power } = topology;
  for (const kind of ["site", "floor", "room", "row"] as const) yield* listPlaceEntries(topology, kind);
  for (const rack of inventory.racks) yield createRackEntry(rack);
  for (const device of inventory.devices) yield createDeviceEntry(device);
  for (const crac of inventory.cracs) yield createCracEntry(crac);
  for (const { ref } of power.nodes) {
    if (ref.startsWith("feed:"))
      yield createSearchEntry({ kind: "SUPPLY", ref, name: ref.slice(5), detail: "feed", more: [] });
  }
  for (const id of new Map(inventory.fabricLinks.map((link) => [getFabricKey(link), link.fabricId ?? ""])).values()) {
    if (id !== "")
      yield createSearchEntry({ kind: "FABRIC", ref: `fabric:${id}`, name: id, detail: "fabric", more: [] });
  }
  for (const link of inventory.fabricLinks) yield createLinkEntry(link);
}

interface EntryFields {
  readonly kind: InventoryKind;
  readonly ref: string;
  readonly name: string;
  readonly detail: string;
  /** Additional searchable texts of the entry. */
  readonly more: readonly (string | undefined)[];
}

function createSearchEntry({ kind, ref, name, detail, more }: EntryFields): SearchEntry {
  const texts = [name, detail, ...more].filter((text) => text !== undefined && text !== "");
  return { kind, ref, name, detail, text: texts.join(" ").toLowerCase() };
}

function* listPlaceEntries(topology: Topology, kind: PlaceKind): Generator<SearchEntry> {
  for (const { ref, name, racks, devices } of listPlaceRows(topology, kind)) {
    const detail = `${kind} with ${racks} racks and ${devices} devices`;
    yield createSearchEntry({ kind: kind.toUpperCase() as InventoryKind, ref, name, detail, more: [] });
  }
}

function createRackEntry({ code, name, role, location, serial, assetTag, facilityId, tenant }: Rack): SearchEntry {
  const detail = [role === undefined ? "rack" : `${role} rack`, joinLocationParts(location)].join(" ").trim();
  return createSearchEntry({
    kind: "RACK",
    ref: `rack:${code}`,
    name: code,
    detail,
    more: [name, serial, assetTag, facilityId, tenant],
  });
}

function createDeviceEntry(device: Device): SearchEntry {
  const { code, name, role, kind, rackCode, positionU, location, serial, assetTag, model, manufacturer, tenant } =
    device;
  const what = [role, convertToLowerWords(kind)]
    .filter((word, at, all) => word !== undefined && all.indexOf(word) === at)
    .join(" ");
  const where = rackCode === undefined ? joinLocationParts(location) : `in ${rackCode}`;
  const detail = `${what} ${where}${positionU === undefined ? "" : `, U${positionU}`}`.trim();
  const more = [name, serial, assetTag, model, manufacturer, tenant, location?.room];
  return createSearchEntry({ kind: "DEVICE", ref: `device:${code}`, name: code, detail, more });
}

function createCracEntry({ code, name, kind, location, serial, model, manufacturer }: Crac): SearchEntry {
  const detail = `${convertToLowerWords(kind)} ${joinLocationParts(location)}`.trim();
  return createSearchEntry({
    kind: "CRAC",
    ref: `crac:${code}`,
    name: code,
    detail,
    more: [name, serial, model, manufacturer],
  });
}

function createTypeEntry({ code, manufacturer, model, partNumber, kind }: DeviceType): SearchEntry {
  const detail = `${convertToLowerWords(kind)} ${manufacturer} ${model}`;
  return createSearchEntry({ kind: "DEVICE_TYPE", ref: `device_type:${code}`, name: code, detail, more: [partNumber] });
}

function createLinkEntry({ a, b, fabricId }: FabricLink): SearchEntry {
  const name = `${a.deviceCode} to ${b.deviceCode}`;
  const detail = `link${fabricId === undefined ? "" : ` of ${fabricId}`}, ${a.portName || "any port"} to ${b.portName || "any port"}`;
  return createSearchEntry({ kind: "FABRIC_LINK", ref: formatFabricLinkRef(a, b), name, detail, more: [] });
}

/** Splits a search text into words in lower case, at white space. */
export function splitQuery(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Converts `RACK_PDU` to "rack pdu". */
function convertToLowerWords(word: string): string {
  return word.toLowerCase().replaceAll("_", " ");
}

function joinLocationParts(location: Location | undefined): string {
  if (location === undefined) return "";
  const { siteId, floorNumber, room, row } = location;
  const parts = [siteId, `floor ${floorNumber}`, room, row === undefined ? undefined : `row ${row}`];
  return `in ${parts.filter((part) => part !== undefined).join(", ")}`;
}
