import { MAX_QUERY_CHARS } from "#dc/limits.ts";
import { INVENTORY_KINDS } from "#dc/model/enum_values.ts";
import { compareText, formatCableRef, formatPortReference } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcReader } from "#dc/ports.ts";
import { PlanningService, SearchInventoryResponseSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { readCount, readEnumValue, requireMaxCount } from "../answers/parameters.ts";
import { convertToMessage } from "../messages/convert.ts";
import { defineRead } from "../rpc.ts";
import { buildSearchIndex, type SearchEntry, splitQuery } from "./inventory/search_index.ts";

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
