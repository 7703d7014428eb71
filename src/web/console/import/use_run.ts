import { useRef, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { BulkReply, UpsertDeviceResponse } from "#gen/datacenter/v1/json.ts";
import { formatEnum } from "#words/names.ts";
import { CallError, inventoryWriteListeners } from "../api/client.ts";
import { APPLY_CHANGES_RPC, callEditRpc, PREVIEW_CHANGES_RPC } from "../edit/proposal.ts";
import {
  createFieldProblems,
  type FieldProblem,
  findRepeatedItems,
  IMPORT_KINDS,
  type ImportItem,
  type ImportKind,
  joinFieldProblems,
  listResultProblems,
  type ParsedFile,
} from "./parse_items.ts";

const CHECK_LABELS: Readonly<Record<string, string>> = {
  OUTCOME_CREATED: "To be created",
  OUTCOME_UPDATED: "To be updated",
  OUTCOME_UNCHANGED: "Unchanged",
};
const REFUSED_OUTCOME = "OUTCOME_FAILED";

/** Returns the labelled counts of a step. When the step is done, the counts after "Read" add up to "Read". */
export function listStepCounts(run: ImportRun): readonly (readonly [label: string, number: number])[] {
  const { parsed, outcomes, step } = run;
  return [
    ["Read", parsed.items.length + parsed.unreadable.length] as const,
    ...Object.entries(CHECK_LABELS)
      .filter(([outcome]) => (outcomes.get(outcome) ?? 0) > 0)
      .map(([outcome, label]) => {
        return [step === "check" ? label : formatEnum(outcome, "OUTCOME"), outcomes.get(outcome) ?? 0] as const;
      }),
    ["Refused", countRefusedItems(run)] as const,
  ];
}

/** Counts the refused items, not their problems: an item may have several. */
export function countRefusedItems({ parsed, failed }: ImportRun): number {
  return parsed.unreadable.length + new Set(failed.map(({ item }) => item)).size;
}

/** Whether the result of the write differs from the result of the check. */
export function isDifferentFromCheck({ checked, outcomes, running, sent, total }: ImportRun): boolean {
  if (checked === undefined || running || sent < total) return false;
  return [...checked].some(
    ([outcome, number]) => outcome !== REFUSED_OUTCOME && number !== (outcomes.get(outcome) ?? 0),
  );
}

/** Maximum number of items that one call checks, without the items that they need. Small calls show progress. */
const MAX_CHECKED_ITEMS = 300;

/**
 * Checks the effects of a file's items and writes nothing. Each call also contains the items that its items refer to,
 * so that a device finds a rack of the same file.
 *
 * @throws CallError that concerns every item
 */
async function checkImportItems(
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

/** Result for one item. */
interface ItemResult {
  readonly item: ImportItem;
  readonly outcome: string;
  /** Reasons why the item was refused; empty if it was accepted. */
  readonly problems: readonly FieldProblem[];
}

interface SendOptions {
  readonly signal: AbortSignal;
  /** Every item of the file, whether sent or not. */
  readonly all: readonly ImportItem[];
  /** Receives results as they arrive. */
  readonly reportResults: (results: readonly ItemResult[]) => void;
}

type SendFunction = (items: readonly ImportItem[], sending: SendOptions) => Promise<readonly ItemResult[]>;

const BATCH_SIZE = 200;
const MAX_PARALLEL_CALLS = 6;

/** Senders by kind. Links have no bulk RPC, so many links are sent as one atomic change. */
const SENDERS_BY_KIND: Readonly<Record<ImportKind, SendFunction>> = {
  rack: createBulkSender("BulkUpsertRacks"),
  device: createBulkSender("BulkUpsertDevices"),
  crac: createBulkSender("BulkUpsertCracs"),
  cable: createBulkSender("datacenter.v1.PlanningService/BulkUpsertCables"),
  fabric_link: createAtomicSender("fabric_link", createSingleSender("UpsertFabricLink", "fabric_link")),
};

/** Error codes that concern the caller or the server, not an item: all further items would fail alike. */
const FATAL_ERROR_CODES: ReadonlySet<string> = new Set([
  "permission_denied",
  "unauthenticated",
  "unavailable",
  "offline",
]);

/**
 * Sends racks first, then equipment, then connections. A rejected item does not stop the others.
 *
 * @throws CallError that concerns every item. It is then unknown whether items without a result were written
 */
async function sendItems(items: readonly ImportItem[], sending: SendOptions): Promise<void> {
  for (const kind of IMPORT_KINDS) {
    const send = SENDERS_BY_KIND[kind];
    const ownItems = items.filter((item) => item.kind === kind);
    for (let start = 0; start < ownItems.length; start += BATCH_SIZE) {
      if (sending.signal.aborted) return;
      const batch = ownItems.slice(start, start + BATCH_SIZE);
      sending.reportResults(
        await send(batch, sending).catch((error: unknown) => batch.map((item) => createFailedResult(item, error))),
      );
    }
  }
}

function createBulkSender(rpc: string): SendFunction {
  return async (items, { signal }) => {
    const { results } = await callEditRpc<BulkReply>(rpc, { items: items.map(({ resource }) => resource) }, signal);
    return results.map((result) => ({
      item: items[result.index] as ImportItem,
      outcome: result.outcome,
      problems: listResultProblems(result),
    }));
  };
}

/** Sends items as one atomic change. If it is rejected, sends each item alone, some in parallel, to find the cause. */
function createAtomicSender(field: string, alone: SendFunction): SendFunction {
  return async (items, sending) => {
    const changes = items.map(({ resource }) => ({ [field]: resource }));
    const answer = await callEditRpc<BulkReply>(APPLY_CHANGES_RPC, { changes }, sending.signal).catch(
      (error: unknown) => {
        if (!(error instanceof CallError) || error.code !== "invalid_argument") throw error;
        return undefined;
      },
    );
    if (answer?.committed === true)
      return answer.results.map(({ index, outcome }) => ({ item: items[index] as ImportItem, outcome, problems: [] }));
    const sent: ItemResult[] = [];
    for (let start = 0; start < items.length; start += MAX_PARALLEL_CALLS) {
      sent.push(...(await alone(items.slice(start, start + MAX_PARALLEL_CALLS), sending)));
    }
    return sent;
  };
}

function createSingleSender(rpc: string, field: string): SendFunction {
  return (items, { signal }) =>
    Promise.all(
      items.map(async (item) => {
        try {
          const { outcome } = await callEditRpc<UpsertDeviceResponse>(rpc, { [field]: item.resource }, signal);
          return { item, outcome, problems: [] };
        } catch (error) {
          return createFailedResult(item, error);
        }
      }),
    );
}

function createFailedResult(item: ImportItem, error: unknown): ItemResult {
  if (error instanceof CallError && FATAL_ERROR_CODES.has(error.code)) throw error;
  const stopped = [{ field: "", message: "The call was stopped." }];
  const problems = error instanceof CallError ? createFieldProblems(error.violations, error.message) : stopped;
  return { item, outcome: "OUTCOME_FAILED", problems };
}

/** Number of items by outcome. */
type OutcomeCounts = ReadonlyMap<string, number>;

/** Progress of an import. */
export interface ImportRun {
  readonly parsed: ParsedFile;
  /** Whether the file is being checked or the checked items are being written. */
  readonly step: "check" | "write";
  /** Number of items in the step. */
  readonly total: number;
  readonly sent: number;
  readonly outcomes: OutcomeCounts;
  /** Outcomes of the check; set once the write has begun. */
  readonly checked?: OutcomeCounts;
  /** Items that the check or the write refused. */
  readonly failed: readonly ItemResult[];
  readonly running: boolean;
  /** Error that stopped the step before all items were sent. */
  readonly error?: CallError;
}

export interface ImportRunner {
  readonly run: ImportRun | undefined;
  /** Checks the effects of a file and writes nothing. */
  readonly check: (parsed: ParsedFile) => Promise<void>;
  /** Checks the refused and changed items of an edited file; accepted items keep their result. */
  readonly recheck: (parsed: ParsedFile) => Promise<void>;
  /** Writes the accepted items of the checked file. */
  readonly write: () => Promise<void>;
  /** Writes a file that needs no check, such as the sample. */
  readonly writeAll: (parsed: ParsedFile) => Promise<void>;
  /** Sends the items that have no result yet. */
  readonly continueRun: () => Promise<void>;
  readonly stop: () => void;
  /** Stops the run and discards its result, after a change of the file. */
  readonly discardRun: () => void;
}

const STEP_FUNCTIONS = { check: checkImportItems, write: sendItems };
const INITIAL_COUNTS = { sent: 0, outcomes: new Map<string, number>(), running: true };

/** Checks and sends items in batches; counts results without storing them, so that 50,000 items need little memory. */
export function useImportRunner(): ImportRunner {
  const [run, setRun] = useState<ImportRun>();
  const current = useRef<ImportRun | undefined>(undefined);
  const pendingItems = useRef<Set<ImportItem>>(new Set());
  const controller = useRef<AbortController | undefined>(undefined);
  const setCurrentRun = (next: ImportRun | undefined) => {
    current.current = next;
    setRun(next);
  };
  const sendPendingItems = async (begun: ImportRun): Promise<void> => {
    const { error: _, ...clean } = begun;
    setCurrentRun({ ...clean, running: true });
    const abort = new AbortController();
    controller.current = abort;
    const getOwnRun = () => (controller.current === abort ? current.current : undefined);
    const addResults = (results: readonly ItemResult[]) => {
      const last = getOwnRun();
      // The results of a stopped call are unknown, so its items are sent again.
      if (last === undefined || abort.signal.aborted) return;
      for (const { item } of results) pendingItems.current.delete(item);
      setCurrentRun(addItemResults(last, results));
    };
    const endRun = (how: Partial<ImportRun>) => {
      const last = getOwnRun();
      if (last !== undefined) setCurrentRun({ ...last, running: false, ...how });
    };
    try {
      await STEP_FUNCTIONS[begun.step]([...pendingItems.current], {
        signal: abort.signal,
        reportResults: addResults,
        all: begun.parsed.items,
      });
      endRun({});
    } catch (error) {
      if (!abort.signal.aborted && !(error instanceof CallError)) throw error;
      endRun(error instanceof CallError ? { error } : {});
    }
    if (begun.step === "write") inventoryWriteListeners.notify();
  };
  const beginRun = (run: Omit<ImportRun, "total" | "sent" | "outcomes" | "running">, items: readonly ImportItem[]) => {
    pendingItems.current = new Set(items);
    return sendPendingItems({ ...run, ...INITIAL_COUNTS, total: items.length });
  };
  return {
    run,
    check: (parsed) => beginRun({ parsed, step: "check", failed: [] }, parsed.items),
    recheck: async (parsed) => {
      const last = current.current;
      if (last === undefined) return;
      controller.current?.abort();
      const good = listAcceptedItems(last).filter((item) => !pendingItems.current.has(item));
      pendingItems.current = listUncheckedItems(parsed.items, good);
      // Refused items stay visible until they have a new result.
      const now = new Map(parsed.items.map((item) => [getPositionKey(item), item]));
      const failed = last.failed.flatMap((one) => {
        const item = now.get(getPositionKey(one.item));
        return item === undefined || !pendingItems.current.has(item) ? [] : [{ ...one, item }];
      });
      const [total, sent] = [parsed.items.length, parsed.items.length - pendingItems.current.size];
      await sendPendingItems({ parsed, step: "check", failed, outcomes: last.outcomes, total, sent, running: true });
    },
    write: async () => {
      const checked = current.current;
      if (checked !== undefined)
        await beginRun({ ...checked, step: "write", checked: checked.outcomes }, listAcceptedItems(checked));
    },
    writeAll: (parsed) => beginRun({ parsed, step: "write", failed: [] }, parsed.items),
    continueRun: async () => {
      if (current.current !== undefined) await sendPendingItems(current.current);
    },
    stop: () => controller.current?.abort(),
    discardRun: () => {
      controller.current?.abort();
      setCurrentRun(undefined);
    },
  };
}

/** Whether every item has a result. */
export function isRunDone({ running, sent, total }: ImportRun): boolean {
  return !running && sent === total;
}

/** Returns the position of an item in the file, as a key. */
function getPositionKey({ kind, line }: ImportItem): string {
  return `${kind} ${line}`;
}

/** Returns the items that are not among the accepted ones. Compares their content, as a correction may remove lines. */
export function listUncheckedItems(items: readonly ImportItem[], good: readonly ImportItem[]): Set<ImportItem> {
  const getContent = ({ line: _, ...content }: ImportItem) => JSON.stringify(content);
  const remainingCounts = new Map<string, number>();
  for (const content of good.map(getContent)) remainingCounts.set(content, (remainingCounts.get(content) ?? 0) + 1);
  const isUnchecked = (item: ImportItem) => {
    const content = getContent(item);
    const number = remainingCounts.get(content) ?? 0;
    remainingCounts.set(content, number - 1);
    return number <= 0;
  };
  return new Set(items.filter(isUnchecked));
}

/** Returns the items that the check accepted. */
export function listAcceptedItems({ parsed, failed }: ImportRun): readonly ImportItem[] {
  const refused = new Set(failed.map(({ item }) => item));
  return parsed.items.filter((item) => !refused.has(item));
}

function addItemResults(run: ImportRun, results: readonly ItemResult[]): ImportRun {
  const outcomes = new Map(run.outcomes);
  for (const { outcome } of results) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const failed = results.filter(({ problems }) => problems.length > 0);
  const heard = new Set(results.map(({ item }) => item));
  const others = run.failed.filter(({ item }) => !heard.has(item));
  return { ...run, sent: run.sent + results.length, outcomes, failed: [...others, ...failed] };
}
