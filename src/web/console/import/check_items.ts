import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { BulkReply } from "#gen/datacenter/v1/json.ts";
import { CallError } from "../api/client.ts";
import { callEditRpc } from "../edit/ask.ts";
import { PREVIEW_CHANGES_RPC } from "../edit/proposal.ts";
import { type FieldProblem, IMPORT_KINDS, type ImportItem } from "./parse_items.ts";
import { createFieldProblems, findRepeatedItems, joinFieldProblems, listResultProblems } from "./problems.ts";
import type { ItemResult, SendOptions } from "./send_items.ts";

/** Maximum number of items that one call checks, without the items that they need. Small calls show progress. */
const MAX_CHECKED_ITEMS = 300;

/**
 * Checks the effects of a file's items and writes nothing. Each call also contains the items that its items refer to,
 * so that a device finds a rack of the same file.
 *
 * @throws CallError that concerns every item
 */
export async function checkImportItems(
  items: readonly ImportItem[],
  { signal, reportResults, all }: SendOptions,
): Promise<void> {
  const own = new Set(items);
  // Of two items for one resource, the one in `items` is refused, because the other already has its result.
  const repeated = findRepeatedItems([...all.filter((item) => !own.has(item)), ...items]);
  reportResults([...repeated].flatMap(([item, problem]) => (own.has(item) ? [createRefusal(item, [problem])] : [])));
  const isUnique = (item: ImportItem) => !repeated.has(item);
  for (const { asked, needed } of splitIntoCalls(items.filter(isUnique), all.filter(isUnique))) {
    if (signal.aborted) return;
    const results = await previewItems(sortItemsByKind([...needed, ...asked]), signal);
    reportResults(asked.map((item) => results.get(item) ?? createRefusal(item, [])));
  }
}

interface CheckCall {
  readonly asked: readonly ImportItem[];
  readonly needed: readonly ImportItem[];
}

/** Splits items into calls. A call also contains the items that its items refer to and the devices of their racks. */
export function* splitIntoCalls(
  items: readonly ImportItem[],
  file: readonly ImportItem[] = items,
): Generator<CheckCall> {
  const needs = createDependencyLookup(file);
  let asked = new Set<ImportItem>();
  let all = new Set<ImportItem>();
  const createCall = () => ({
    asked: [...asked],
    needed: [...all.difference(asked)].slice(0, MAX_BATCH_ITEMS - asked.size),
  });
  for (const item of sortItemsByKind(items)) {
    const more = new Set([item, ...needs(item)]);
    if (
      asked.size === MAX_CHECKED_ITEMS ||
      (asked.size > 0 && all.size + more.difference(all).size > MAX_BATCH_ITEMS)
    ) {
      yield createCall();
      [asked, all] = [new Set(), new Set()];
    }
    asked.add(item);
    for (const one of more) all.add(one);
  }
  if (asked.size > 0) yield createCall();
}

/** Sorts items: racks first, then equipment by rack, then connections. */
function sortItemsByKind(items: readonly ImportItem[]): readonly ImportItem[] {
  return items.toSorted((one, other) => {
    const kinds = IMPORT_KINDS.indexOf(one.kind) - IMPORT_KINDS.indexOf(other.kind);
    if (kinds !== 0 || one.kind !== "device") return kinds;
    return getRackCode(one) < getRackCode(other) ? -1 : getRackCode(one) > getRackCode(other) ? 1 : 0;
  });
}

/**
 * Returns a function that lists the items of the file that a given item needs: the items that it refers to, the items
 * that those refer to, and the other devices of its rack.
 */
function createDependencyLookup(items: readonly ImportItem[]): (item: ImportItem) => ReadonlySet<ImportItem> {
  const named = new Map<string, ImportItem>();
  for (const item of items) {
    for (const ref of listItemRefs(item)) if (!named.has(ref)) named.set(ref, item);
  }
  const inRack = Map.groupBy(items, (item) => (item.kind === "device" ? getRackCode(item) : ""));
  const collectDependencies = (item: ImportItem, found: Set<ImportItem>): Set<ImportItem> => {
    for (const ref of collectResourceRefs(item.resource)) {
      const other = named.get(ref);
      if (other === undefined || other === item || found.has(other)) continue;
      found.add(other);
      collectDependencies(other, found);
    }
    return found;
  };
  return (item) => {
    const others = item.kind === "device" && getRackCode(item) !== "" ? (inRack.get(getRackCode(item)) ?? []) : [];
    return collectDependencies(item, new Set(others));
  };
}

function getRackCode({ resource }: ImportItem): string {
  return String(resource["rack_code"] ?? "").toLowerCase();
}

/** Returns the references of an item and of the locations that it creates, in lower case. */
function listItemRefs({ kind, resource: { code, location } }: ImportItem): readonly string[] {
  const own = typeof code === "string" ? [`${kind}:${code.toLowerCase()}`] : [];
  if (typeof location !== "object" || location === null) return own;
  const { site_id, floor_number, room, row } = location as Readonly<Record<string, unknown>>;
  const floor = `${site_id}/${floor_number}`;
  return [...own, `site:${site_id}`, `floor:${floor}`, `room:${floor}/${room}`, `row:${floor}/${row}`].map((ref) =>
    ref.toLowerCase(),
  );
}

/** Returns the references in a resource in lower case, such as `rack:a01` for its `rack_code`. */
function collectResourceRefs(value: unknown, name = ""): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inner]) =>
      collectResourceRefs(inner, Array.isArray(value) ? name : key),
    );
  if (typeof value !== "string") return [];
  const text = value.toLowerCase();
  if (text.includes(":")) return [text];
  if (name === "source_ref") return [`device:${text.split("/")[0]}`];
  return name.endsWith("_code") ? [`${name === "rack_code" ? "rack" : "device"}:${text}`] : [];
}

/** Previews items. If the server cannot parse a field, reports the field and repeats the preview without it. */
async function previewItems(
  items: readonly ImportItem[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ImportItem, ItemResult>> {
  let readable = items;
  for (;;) {
    const request = { changes: readable.map(({ kind, resource }) => ({ [kind]: resource })), max_items: 1 };
    try {
      const { results } = await callEditRpc<BulkReply>(PREVIEW_CHANGES_RPC, request, signal);
      const sent = results.map((result) => {
        const [item, asked] = [items[result.index] as ImportItem, readable[result.index] as ImportItem];
        return [item, createItemResult(item, asked, result)] as const;
      });
      return new Map(sent);
    } catch (error) {
      const less = error instanceof CallError ? dropUnreadField(readable, error) : undefined;
      if (less === undefined) throw error;
      readable = less;
    }
  }
}

function createItemResult(item: ImportItem, asked: ImportItem, result: BulkReply["results"][number]): ItemResult {
  // If no field could be parsed, the server also reports fields as missing that the file contains.
  const isEmpty = Object.keys(asked.resource).length === 0 && asked.problems !== undefined;
  const found = isEmpty ? (asked.problems ?? []) : joinFieldProblems(asked, listResultProblems(result));
  return found.length > 0 ? createRefusal(item, found) : { item, outcome: result.outcome, problems: [] };
}

/**
 * Returns the items without the field that the server could not parse, and reports that field. If an item has no field
 * of that name, it loses all of its fields. Returns undefined if the fault is outside the items.
 */
export function dropUnreadField(
  items: readonly ImportItem[],
  { violations, message }: Pick<CallError, "violations" | "message">,
): readonly ImportItem[] | undefined {
  const [, at = "", path = ""] = /^changes\[(\d+)\]\.[a-z_]+\.?(.*)$/s.exec(violations[0]?.field ?? "") ?? [];
  const item = items[Number(at)];
  if (at === "" || item === undefined || Object.keys(item.resource).length === 0) return undefined;
  const key = findResourceKey(item.resource, path);
  const { [key ?? ""]: _, ...resource } = item.resource;
  const named = createFieldProblems(violations, message).map((problem) =>
    key === undefined || problem.field.startsWith(key) ? problem : { ...problem, field: key },
  );
  const problems = [...(item.problems ?? []), ...named];
  return items.with(Number(at), { ...item, resource: key === undefined ? {} : resource, problems });
}

/** Returns the key of a resource that a path of the server refers to: a file may contain `uHeight` for `u_height`. */
function findResourceKey(resource: ImportItem["resource"], path: string): string | undefined {
  const isAt = (name: string) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
  const formatSnakeCase = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.keys(resource).find((key) => key !== "" && (isAt(key) || isAt(formatSnakeCase(key))));
}

function createRefusal(item: ImportItem, problems: readonly FieldProblem[]): ItemResult {
  return { item, outcome: "OUTCOME_FAILED", problems };
}
