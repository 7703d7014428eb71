import { create } from "@bufbuild/protobuf";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { Finding } from "#dc/model/finding.ts";
import { codeKey, parseRef } from "#dc/model/ref.ts";
import { Refusal, refuse } from "#dc/model/refusal.ts";
import type { Device, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { type BulkReply, BulkReplySchema, FindingSchema, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { convertToMessage } from "../messages/convert.ts";
import { convertErrorToStatus } from "../messages/status.ts";
import type { WriteSession } from "../rpc.ts";

/** One item of a bulk call, and the codes of the items that must be applied before it. */
export interface BulkItem {
  /** Path of the item's name in the request, such as `items[7].code`. */
  readonly field: string;
  /** Name of the item in the reply: a code, or a reference. */
  readonly code: string;
  readonly name: "Code" | "Cable" | "Resource";
  /** Key that is equal for items that name the same resource. */
  readonly key: string;
  readonly needs: readonly string[];
  readonly apply: () => Promise<AppliedItem>;
}

export interface AppliedItem {
  readonly outcome: Outcome;
  readonly etag: string;
  readonly warnings: readonly Finding[];
  /** References of other resources that were removed or changed. */
  readonly cascadedRefs?: readonly string[];
}

/** Checks the changed items after all are applied. @returns a function from an item's code to its findings */
export type ReviewItems = (codes: readonly string[]) => Promise<(code: string) => readonly Finding[]>;

export interface BulkOptions {
  readonly atomic: boolean;
  readonly review?: ReviewItems;
}

type ItemResult = { readonly done: AppliedItem } | { readonly error: OperationError };

/** Thrown to roll back an atomic batch; contains the result of every item. */
class BatchFailedError extends Error {
  readonly results: readonly ItemResult[];

  constructor(results: readonly ItemResult[]) {
    super("The batch failed");
    this.results = results;
  }
}

/**
 * Applies items in the order of their dependencies, each in a savepoint. An item fails if one that it depends on
 * failed. With `atomic`, one failure rolls back all. Source: docs/contract/datacenter-analyses.md#bulk-calls.
 */
export async function applyBulkItems(
  session: WriteSession,
  items: readonly BulkItem[],
  { atomic, review = async () => () => [] }: BulkOptions,
): Promise<BulkReply> {
  const { transactionId } = session.changes;
  if (!atomic)
    return createBulkReply(items, await reviewResults(items, await applyAllItems(session, items), review), {
      committed: true,
      transactionId,
    });
  try {
    const results = await session.changes.runInSavepoint(async () => {
      const applied = await applyAllItems(session, items);
      if (applied.some((result) => "error" in result)) throw new BatchFailedError(applied);
      return reviewResults(items, applied, review);
    });
    return createBulkReply(items, results, { committed: true, transactionId });
  } catch (error) {
    if (!(error instanceof BatchFailedError)) throw error;
    return createBulkReply(items, error.results, { committed: false, transactionId });
  }
}

/** Rejects an empty or too large batch before reading its items. */
export function requireBatchSize(field: string, count: number): void {
  const expected = `1 to ${MAX_BATCH_ITEMS} items`;
  const detail = { field, value: count, expected };
  if (count === 0) throw refuse("REQUIRED_FIELD", `A bulk call needs items: expected ${expected}`, detail);
  if (count <= MAX_BATCH_ITEMS) return;
  throw refuse("BATCH_TOO_LARGE", `A bulk call takes no ${count} items: expected ${expected}`, detail);
}

async function applyAllItems(session: WriteSession, items: readonly BulkItem[]): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = Array.from({ length: items.length });
  const failed = new Set<string>();
  const scheduler = CooperativeScheduler.createForWrite();
  for (const index of findDuplicateIndexes(items)) results[index] = createDuplicateResult(items[index]);
  for (const index of sortByDependencies(items)) {
    const item = items[index];
    if (item === undefined || results[index] !== undefined) continue;
    await scheduler.yieldIfDue();
    const result = await applyOneItem(session, item, failed);
    if ("error" in result) failed.add(item.key);
    results[index] = result;
  }
  return results;
}

const CHANGING_OUTCOMES: ReadonlySet<Outcome> = new Set([Outcome.CREATED, Outcome.UPDATED]);

async function reviewResults(
  items: readonly BulkItem[],
  results: readonly ItemResult[],
  review: ReviewItems,
): Promise<readonly ItemResult[]> {
  const changed = results.map((result) => "done" in result && CHANGING_OUTCOMES.has(result.done.outcome));
  const codeOf = (index: number) => items[index]?.code ?? "";
  const found = await review([...items.keys()].filter((index) => changed[index]).map(codeOf));
  return results.map((result, index): ItemResult => {
    if (!("done" in result) || changed[index] !== true) return result;
    return { done: { ...result.done, warnings: [...result.done.warnings, ...found(codeOf(index))] } };
  });
}

async function applyOneItem(session: WriteSession, item: BulkItem, failed: ReadonlySet<string>): Promise<ItemResult> {
  const need = item.needs.find((code) => failed.has(codeKey(code)));
  if (need !== undefined) {
    return {
      error: refuse("DEPENDENCY_FAILED", `"${item.code}" needs "${need}", which failed in the same batch`, {
        field: item.field,
        value: need,
        expected: "an item that succeeds",
      }),
    };
  }
  try {
    return { done: await session.changes.runInSavepoint(item.apply) };
  } catch (error) {
    // A refusal fails the item; an unavailable database fails the call.
    if (error instanceof OperationError && error.kind !== "unavailable") return { error };
    throw error;
  }
}

function findDuplicateIndexes(items: readonly BulkItem[]): readonly number[] {
  const indexes = Map.groupBy(items.keys(), (index) => items[index]?.key);
  return [...indexes.values()].filter((list) => list.length > 1).flat();
}

function createDuplicateResult({ field = "", code = "", name = "Code" }: Partial<BulkItem> = {}): ItemResult {
  const detail = { field, value: code, expected: `each ${name.toLowerCase()} once` };
  return { error: refuse("DUPLICATE", `${name} "${code}" is given twice in the batch`, detail) };
}

/** Sorts items depth first by dependencies. Items in a cycle keep the given order, and the rules reject them. */
export function sortByDependencies(items: readonly Pick<BulkItem, "code" | "needs">[]): readonly number[] {
  const byCode = new Map(items.map(({ code }, index) => [codeKey(code), index]));
  const visited = new Set<number>();
  const order: number[] = [];
  for (const start of items.keys()) {
    // Uses an explicit stack, because a chain of a thousand dependencies would overflow the call stack.
    const stack: { readonly index: number; readonly leave: boolean }[] = [{ index: start, leave: false }];
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      if (step.leave) order.push(step.index);
      else if (!visited.has(step.index)) {
        visited.add(step.index);
        stack.push({ index: step.index, leave: true });
        stack.push(...findDependencyIndexes(items[step.index], byCode).map((index) => ({ index, leave: false })));
      }
    }
  }
  return order;
}

function findDependencyIndexes(
  item: Pick<BulkItem, "needs"> | undefined,
  byCode: ReadonlyMap<string, number>,
): readonly number[] {
  return (item?.needs ?? [])
    .map((code) => byCode.get(codeKey(code)))
    .filter((index): index is number => index !== undefined)
    .toReversed();
}

function createBulkReply(
  items: readonly BulkItem[],
  results: readonly ItemResult[],
  { committed, transactionId }: { readonly committed: boolean; readonly transactionId: string },
): BulkReply {
  const failures = results.filter((result) => "error" in result).length;
  return create(BulkReplySchema, {
    results: results.map((result, index) => ({
      index,
      code: items[index]?.code ?? "",
      ...createItemMessage(result, committed),
    })),
    succeeded: committed ? results.length - failures : 0,
    failed: committed ? failures : results.length,
    committed,
    transactionId,
  });
}

function createItemMessage(result: ItemResult, committed: boolean) {
  if ("error" in result)
    return { outcome: createFailedOutcome(result.error), error: convertErrorToStatus(result.error) };
  if (!committed) {
    const error = refuse("BATCH_ABORTED", "Another item of the atomic batch failed");
    return { outcome: Outcome.ABORTED, error: convertErrorToStatus(error) };
  }
  const { outcome, etag, warnings, cascadedRefs = [] } = result.done;
  return {
    outcome,
    etag,
    warnings: warnings.map((warning) => convertToMessage(FindingSchema, warning)),
    cascadedRefs: [...cascadedRefs],
  };
}

function createFailedOutcome(error: OperationError): Outcome {
  return error instanceof Refusal && error.reason === "NOT_FOUND" ? Outcome.NOT_FOUND : Outcome.FAILED;
}

/** Returns the codes of other items of the batch that must be applied before an item. */
type ItemDependencies = (resource: ResourceByKind["device" | "rack" | "crac" | "cable"]) => readonly string[];

/**
 * Returns a function that lists the dependencies of an item of a batch. A device depends on its chassis and on the
 * devices that supply it; a feed resolves to the item that declares it. Racks, cooling units and cables do not depend
 * on items of their kind.
 */
export function createDependencyFinder(
  kind: ResourceKind,
  items: readonly ResourceByKind["device" | "rack" | "crac" | "cable"][],
): ItemDependencies {
  if (kind !== "device") return () => [];
  const declarers = new Map<string, string>();
  for (const { code, ports = [] } of items as readonly Device[]) {
    for (const { powerOut } of ports) {
      if (powerOut?.feedId !== undefined) declarers.set(codeKey(powerOut.feedId), code);
    }
  }
  return (resource) => {
    const { code, parentDeviceCode, ports = [] } = resource as Device;
    const sources = ports.map(({ powerIn }) => findSupplierCode(powerIn?.sourceRef, declarers));
    return [...new Set([parentDeviceCode, ...sources])].filter(
      (need): need is string => need !== undefined && codeKey(need) !== codeKey(code),
    );
  };
}

function findSupplierCode(sourceRef: string | undefined, declarers: ReadonlyMap<string, string>): string | undefined {
  if (sourceRef === undefined) return undefined;
  if (!sourceRef.includes(":")) return declarers.get(codeKey(sourceRef)) ?? sourceRef.split("/")[0];
  const ref = parseRef(sourceRef);
  if (ref?.kind === "device") return ref.code;
  if (ref?.kind === "port") return ref.end.deviceCode;
  return ref?.kind === "feed" ? declarers.get(codeKey(ref.code)) : undefined;
}
