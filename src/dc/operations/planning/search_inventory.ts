import { create } from "@bufbuild/protobuf";
import type { Topology } from "#dc/analysis/topology.ts";
import { MAX_QUERY_CHARS } from "#dc/limits.ts";
import { DEVICE_KINDS, INVENTORY_KINDS, type InventoryKind } from "#dc/model/enum_values.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { compareText, formatCableRef, formatFabricLinkRef, formatPortReference, getFabricKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Crac, Device, FabricLink, Location, Rack } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import {
  PlanningService,
  SearchDeviceTypesResponseSchema,
  SearchInventoryResponseSchema,
} from "#gen/datacenter/v1/planning_pb.ts";
import { readCount, readEnumValue, requireMaxCount, requireMaxFilterValues } from "../answers/parameters.ts";
import { convertToMessage } from "../messages/convert.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { readAllDeviceTypes, readDeviceTypePage } from "./device_types.ts";
import { listPlaceRows, type PlaceKind } from "./inventory/places_listing.ts";

const [DEFAULT_HITS, MAX_HITS] = [5, 50] as const;
/** Maximum number of devices whose ports and cables are searched. */
const MAX_SEARCHED_DEVICES = 5;

/** A hit and its rank: a lower rank is a closer match. */
interface RankedHit {
  readonly entry: SearchEntry;
  readonly rank: number;
}

export const searchInventory = defineRead({
  method: PlanningService.method.searchInventory,
  effect: "read",
  async run(session, request) {
    const { reader } = session;
    const { words, kinds, limit } = parseSearchRequest(request);
    const { entries, words: vocabulary } = await buildSearchIndex(session);
    const occurs = (word: string) => entries.some(({ text }) => text.includes(word));
    let found = await findRankedHits(reader, entries, words);
    const nearest = found.length > 0 ? undefined : correctWords(words.flatMap(splitWords), { occurs, vocabulary });
    if (nearest !== undefined) found = await findRankedHits(reader, entries, nearest);
    const wanted = found.filter(({ entry }) => kinds.length === 0 || kinds.includes(entry.kind));
    return convertToMessage(SearchInventoryResponseSchema, {
      kinds: groupHitsByKind(wanted).map(({ kind, hits }) => ({
        kind,
        totalCount: hits.length,
        hits: hits.slice(0, limit).map(({ entry: { ref, name, detail } }) => ({ kind, ref, name, detail })),
      })),
      correctedQuery: found.length === 0 ? "" : (nearest ?? []).join(" "),
    });
  },
});

function parseSearchRequest({ query, kinds, pageSize }: { query: string; kinds: readonly number[]; pageSize: number }) {
  const words = splitQuery(query);
  if (words.length === 0) throw refuse("REQUIRED_FIELD", 'Field "query" is required', { field: "query" });
  requireMaxCount("query", query.length, MAX_QUERY_CHARS, "characters");
  return {
    words,
    kinds: kinds.flatMap((kind, at) => readEnumValue(`kinds[${at}]`, kind, INVENTORY_KINDS) ?? []),
    limit: readCount("page_size", pageSize, { usual: DEFAULT_HITS, most: MAX_HITS }),
  };
}

/** Splits a text such as `leaf-d03` into words. */
function splitWords(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");
}

/**
 * Returns entries that match all words. Adds ports and cables that match the last word, on devices that match the
 * others.
 */
async function findRankedHits(
  reader: DcReader,
  entries: readonly SearchEntry[],
  words: readonly string[],
): Promise<readonly RankedHit[]> {
  const matches = entries.filter(({ text }) => words.every((word) => text.includes(word)));
  return [...matches, ...(await findPortsAndCables(reader, entries, words))].map((entry) => ({
    entry,
    rank: rankMatch(entry.name.toLowerCase(), words),
  }));
}

/** Finds ports and cables by a device and a port name: `srv-b03-07/eth0` or `srv-b03-07 eth0`. */
async function findPortsAndCables(reader: DcReader, entries: readonly SearchEntry[], words: readonly string[]) {
  const spelled = words.flatMap((word) => word.split("/")).filter((word) => word !== "");
  const name = spelled.at(-1);
  const owners = spelled.slice(0, -1);
  if (name === undefined || owners.length === 0) return [];
  const devices = entries
    .filter(({ kind, text }) => kind === "DEVICE" && owners.every((word) => text.includes(word)))
    .slice(0, MAX_SEARCHED_DEVICES);
  const found: SearchEntry[] = [];
  for (const device of await reader.devices(devices.map((entry) => entry.name))) {
    for (const port of device.ports ?? []) {
      if (!port.name.toLowerCase().includes(name)) continue;
      const text = `${device.code}/${port.name}`;
      const ref = formatPortReference({ deviceCode: device.code, portName: port.name });
      found.push({ kind: "PORT", ref, name: text, text: text.toLowerCase(), detail: `port of ${device.code}` });
    }
    for (const { a, b, label = "" } of await reader.cablesOf(device.code)) {
      const ends = `${a.deviceCode}/${a.portName} to ${b.deviceCode}/${b.portName}`;
      const text = `${ends} ${label}`.toLowerCase();
      if (text.includes(name))
        found.push({ kind: "CABLE", ref: formatCableRef(a, b), name: ends, text, detail: label });
    }
  }
  return found;
}

/**
 * Ranks a match, 0 for the closest: the whole name, its beginning, the beginnings of its words, any part of it, another
 * text of the entry.
 */
function rankMatch(name: string, words: readonly string[]): number {
  const whole = words.join(" ");
  if (name === whole) return 0;
  if (name.startsWith(whole)) return 1;
  if (words.every((word) => splitWords(name).some((part) => part.startsWith(word)))) return 2;
  return words.every((word) => name.includes(word)) ? 3 : 4;
}

function groupHitsByKind(found: readonly RankedHit[]) {
  const sorted = found.toSorted(
    (a, b) => a.rank - b.rank || a.entry.name.length - b.entry.name.length || compareText(a.entry.name, b.entry.name),
  );
  return [...Map.groupBy(sorted, ({ entry }) => entry.kind)].map(([kind, hits]) => ({ kind, hits }));
}

/** Maximum length of words without an error, and of words with at most one error; longer words may have two. */
const [MAX_EXACT_CHARS, MAX_ONE_ERROR_CHARS] = [2, 5] as const;

/**
 * Replaces words without a match by the nearest indexed words; undefined if a word has no near one, or no word changes.
 */
function correctWords(
  words: readonly string[],
  {
    occurs,
    vocabulary,
  }: { readonly occurs: (word: string) => boolean; readonly vocabulary: ReadonlyMap<string, number> },
): readonly string[] | undefined {
  const found: string[] = [];
  for (const word of words) {
    const near = occurs(word) ? word : findNearestWord(word, vocabulary);
    if (near === undefined) return undefined;
    found.push(near);
  }
  return found.every((word, at) => word === words[at]) ? undefined : found;
}

/** Returns the indexed word with the fewest differences, then highest frequency. Cost: O(vocabulary × letters²). */
function findNearestWord(word: string, vocabulary: ReadonlyMap<string, number>): string | undefined {
  const most = word.length <= MAX_EXACT_CHARS ? 0 : word.length <= MAX_ONE_ERROR_CHARS ? 1 : 2;
  let best: { readonly word: string; readonly distance: number; readonly count: number } | undefined;
  for (const [other, count] of vocabulary) {
    if (other === "" || Math.abs(other.length - word.length) > most) continue;
    const distance = computeEditDistance(word, other);
    if (distance > most) continue;
    if (best === undefined || distance < best.distance || (distance === best.distance && count > best.count)) {
      best = { word: other, distance, count };
    }
  }
  return best?.word;
}

/** Counts the letters to add, remove, replace or swap with their neighbour: the optimal string alignment distance. */
function computeEditDistance(a: string, b: string): number {
  let [before, last] = [new Array<number>(b.length + 1).fill(0), Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let least = Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, (before[column - 2] ?? 0) + 1);
      }
      next.push(least);
    }
    [before, last] = [last, next];
  }
  return last[b.length] ?? 0;
}

interface SearchEntry {
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
async function buildSearchIndex({ topology, reader, scheduler }: ReadSession): Promise<SearchIndex> {
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

export const searchDeviceTypes = defineRead({
  method: PlanningService.method.searchDeviceTypes,
  effect: "read",
  async run(session, request) {
    const { query, manufacturers } = request;
    requireMaxCount("query", query.length, MAX_QUERY_CHARS, "characters");
    requireMaxFilterValues("manufacturers", manufacturers.length);
    requireMaxFilterValues("kinds", request.kinds.length);
    const kinds = request.kinds.flatMap((kind, index) => readEnumValue(`kinds[${index}]`, kind, DEVICE_KINDS) ?? []);
    const words = splitQuery(query);
    const makers = manufacturers.map((name) => name.toLowerCase());
    const matches = (type: DeviceType) =>
      (kinds.length === 0 || kinds.includes(type.kind)) &&
      (makers.length === 0 || makers.includes(type.manufacturer.toLowerCase())) &&
      words.every((word) => joinSearchTexts(type).includes(word));
    return create(
      SearchDeviceTypesResponseSchema,
      await readDeviceTypePage(session, request, { words, makers, kinds }, matches),
    );
  },
});

function joinSearchTexts({ code, manufacturer, model, partNumber = "" }: DeviceType): string {
  return `${code} ${manufacturer} ${model} ${partNumber}`.toLowerCase();
}
