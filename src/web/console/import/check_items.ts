import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { BulkReply } from "#gen/datacenter/v1/json.ts";
import { CallError } from "../api/client.ts";
import { ask } from "../edit/ask.ts";
import { PREVIEW_RPC } from "../edit/proposal.ts";
import { type FieldProblem, type Item, KINDS } from "./parse_items.ts";
import { allProblems, findRepeated, problemsOf, problemsOfResult } from "./problems.ts";
import type { Sending, Sent } from "./send_items.ts";

/** Items that one call asks about, beside those of the file that they need: the answer to a call shows the progress. */
const ASKED = 300;

/**
 * Asks what the items of a file would do, and writes nothing. An item is asked about together with what it names of the
 * file, so that a device finds a rack that the file has.
 *
 * @throws CallError that concerns every item
 */
export async function checkItems(items: readonly Item[], { signal, heard, all }: Sending): Promise<void> {
  const own = new Set(items);
  // Of two that are one, the refused is what is asked about: the other is answered.
  const repeated = findRepeated([...all.filter((item) => !own.has(item)), ...items]);
  heard([...repeated].flatMap(([item, problem]) => (own.has(item) ? [refusedItem(item, [problem])] : [])));
  const once = (item: Item) => !repeated.has(item);
  for (const { asked, needed } of callsOf(items.filter(once), all.filter(once))) {
    if (signal.aborted) return;
    const results = await previewItems(inOrder([...needed, ...asked]), signal);
    heard(asked.map((item) => results.get(item) ?? refusedItem(item, [])));
  }
}

interface Call {
  readonly asked: readonly Item[];
  readonly needed: readonly Item[];
}

/** The items in calls, each with what it names of the file, and with the devices of its rack, since they share its units. */
export function* callsOf(items: readonly Item[], file: readonly Item[] = items): Generator<Call> {
  const needs = needsOf(file);
  let asked = new Set<Item>();
  let all = new Set<Item>();
  const together = () => ({
    asked: [...asked],
    needed: [...all.difference(asked)].slice(0, MAX_BATCH_ITEMS - asked.size),
  });
  for (const item of inOrder(items)) {
    const more = new Set([item, ...needs(item)]);
    if (asked.size === ASKED || (asked.size > 0 && all.size + more.difference(all).size > MAX_BATCH_ITEMS)) {
      yield together();
      [asked, all] = [new Set(), new Set()];
    }
    asked.add(item);
    for (const one of more) all.add(one);
  }
  if (asked.size > 0) yield together();
}

/** Racks first, then equipment by rack, then connections. */
function inOrder(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => {
    const kinds = KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind);
    if (kinds !== 0 || one.kind !== "device") return kinds;
    return rackOf(one) < rackOf(other) ? -1 : rackOf(one) > rackOf(other) ? 1 : 0;
  });
}

/** What an item needs of the same file: what it names, what that names, and the other devices of its rack. */
function needsOf(items: readonly Item[]): (item: Item) => ReadonlySet<Item> {
  const named = new Map<string, Item>();
  for (const item of items) {
    for (const ref of namesOf(item)) if (!named.has(ref)) named.set(ref, item);
  }
  const inRack = Map.groupBy(items, (item) => (item.kind === "device" ? rackOf(item) : ""));
  const collect = (item: Item, found: Set<Item>): Set<Item> => {
    for (const ref of refsIn(item.resource)) {
      const other = named.get(ref);
      if (other === undefined || other === item || found.has(other)) continue;
      found.add(other);
      collect(other, found);
    }
    return found;
  };
  return (item) => {
    const others = item.kind === "device" && rackOf(item) !== "" ? (inRack.get(rackOf(item)) ?? []) : [];
    return collect(item, new Set(others));
  };
}

function rackOf({ resource }: Item): string {
  return String(resource["rack_code"] ?? "").toLowerCase();
}

/** References by which other items may name one: its own, and the places that come with it. */
function namesOf({ kind, resource: { code, location } }: Item): readonly string[] {
  const own = typeof code === "string" ? [`${kind}:${code.toLowerCase()}`] : [];
  if (typeof location !== "object" || location === null) return own;
  const { site_id, floor_number, room, row } = location as Readonly<Record<string, unknown>>;
  const floor = `${site_id}/${floor_number}`;
  return [...own, `site:${site_id}`, `floor:${floor}`, `room:${floor}/${room}`, `row:${floor}/${row}`].map((ref) =>
    ref.toLowerCase(),
  );
}

/** References in a resource, such as `rack:a01` of its `rack_code`, in small letters. */
function refsIn(value: unknown, name = ""): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => refsIn(inner, Array.isArray(value) ? name : key));
  if (typeof value !== "string") return [];
  const text = value.toLowerCase();
  if (text.includes(":")) return [text];
  if (name === "source_ref") return [`device:${text.split("/")[0]}`];
  return name.endsWith("_code") ? [`${name === "rack_code" ? "rack" : "device"}:${text}`] : [];
}

/** What the server says of each item. A field that it cannot read is left out and named, and the rest is asked again. */
async function previewItems(items: readonly Item[], signal: AbortSignal): Promise<ReadonlyMap<Item, Sent>> {
  let readable = items;
  for (;;) {
    const request = { changes: readable.map(({ kind, resource }) => ({ [kind]: resource })), max_items: 1 };
    try {
      const { results } = await ask<BulkReply>(PREVIEW_RPC, request, signal);
      const sent = results.map((result) => {
        const [item, asked] = [items[result.index] as Item, readable[result.index] as Item];
        return [item, sentOf(item, asked, result)] as const;
      });
      return new Map(sent);
    } catch (error) {
      const less = error instanceof CallError ? withoutUnread(readable, error) : undefined;
      if (less === undefined) throw error;
      readable = less;
    }
  }
}

function sentOf(item: Item, asked: Item, result: BulkReply["results"][number]): Sent {
  // Of an empty one nothing could be read; what the server misses of it then is in the file.
  const isEmpty = Object.keys(asked.resource).length === 0 && asked.problems !== undefined;
  const found = isEmpty ? (asked.problems ?? []) : allProblems(asked, problemsOfResult(result));
  return found.length > 0 ? refusedItem(item, found) : { item, outcome: result.outcome, problems: [] };
}

/**
 * The items without the field that a request could not be read for, which is named. An item without such a field loses all of
 * its fields. Undefined if the fault is outside of the items.
 */
export function withoutUnread(
  items: readonly Item[],
  { violations, message }: Pick<CallError, "violations" | "message">,
): readonly Item[] | undefined {
  const [, at = "", path = ""] = /^changes\[(\d+)\]\.[a-z_]+\.?(.*)$/s.exec(violations[0]?.field ?? "") ?? [];
  const item = items[Number(at)];
  if (at === "" || item === undefined || Object.keys(item.resource).length === 0) return undefined;
  const key = keyOfPath(item.resource, path);
  const { [key ?? ""]: _, ...resource } = item.resource;
  const named = problemsOf(violations, message).map((problem) =>
    key === undefined || problem.field.startsWith(key) ? problem : { ...problem, field: key },
  );
  const problems = [...(item.problems ?? []), ...named];
  return items.with(Number(at), { ...item, resource: key === undefined ? {} : resource, problems });
}

/** The key of a resource to which a path of the server leads: a file may have `uHeight` for `u_height`. */
function keyOfPath(resource: Item["resource"], path: string): string | undefined {
  const isAt = (name: string) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
  const snake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.keys(resource).find((key) => key !== "" && (isAt(key) || isAt(snake(key))));
}

function refusedItem(item: Item, problems: readonly FieldProblem[]): Sent {
  return { item, outcome: "OUTCOME_FAILED", problems };
}
