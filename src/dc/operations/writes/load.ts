import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { codeKey } from "#dc/model/ref.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { OperationError } from "#kernel/errors.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import type { WriteSession } from "../rpc.ts";
import { createDependencyFinder, sortByDependencies } from "./bulk.ts";
import { parseBulkItem } from "./mutations.ts";
import { type UpsertResult, upsertResource } from "./upsert.ts";

export type LoadResult =
  | { readonly outcome: UpsertResult<ResourceKind>["outcome"]; readonly warnings: number }
  | { readonly error: OperationError };

/** One resource to load: a model value, or a message that is not converted yet. */
export type LoadItem =
  | { readonly resource: ResourceByKind[ResourceKind] }
  | { readonly message: MessageShape<DescMessage> };

/** Writes resources of one kind; the results are in the order of the items. */
export type LoadBatch = (kind: ResourceKind, items: readonly LoadItem[]) => Promise<readonly LoadResult[]>;

/**
 * Upserts many resources of one kind in the session's transaction, dependencies first. All rules of a resource run before it
 * is written, so a rejected resource affects no other and needs no savepoint. Loads upstream of the written devices are
 * not checked, because later items of the load still change them; the analyses report them.
 */
export async function loadResources(
  session: WriteSession,
  kind: ResourceKind,
  items: readonly LoadItem[],
): Promise<readonly LoadResult[]> {
  const read = items.map((item) => ("resource" in item ? item.resource : parseBulkItem(kind, item.message, "")));
  await session.writer.preloadResources(kind, read.filter(hasResourceKey));
  const results: LoadResult[] = [];
  const scheduler = CooperativeScheduler.createForWrite();
  for (const index of sortForWriting(kind, read)) {
    const resource = read[index];
    if (resource === undefined) continue;
    await scheduler.yieldIfDue();
    results[index] =
      resource instanceof OperationError ? { error: resource } : await loadOneResource(session, kind, resource);
  }
  return results;
}

async function loadOneResource(
  session: WriteSession,
  kind: ResourceKind,
  resource: ResourceByKind[ResourceKind],
): Promise<LoadResult> {
  const written = await catchRefusal(session, () =>
    upsertResource(session, kind, { resource, at: "", maskPaths: [], etag: "" }),
  );
  if (written instanceof OperationError) return { error: written };
  return { outcome: written.outcome, warnings: written.warnings.length };
}

/** Returns the result of work, or its refusal. @throws other errors, such as a lost connection or a partial write */
export async function catchRefusal<Result>(
  { changes }: WriteSession,
  work: () => Promise<Result>,
): Promise<Result | OperationError> {
  const { pendingCount } = changes;
  try {
    return await work();
  } catch (error) {
    const isRefusal = error instanceof OperationError && error.kind !== "unavailable";
    if (isRefusal && changes.pendingCount === pendingCount) return error;
    throw error;
  }
}

/** Whether a resource has the key with which its stored version is looked up: an edge requires both ends. */
function hasResourceKey(read: ResourceByKind[ResourceKind] | OperationError): read is ResourceByKind[ResourceKind] {
  if (read instanceof OperationError) return false;
  // An edge without its ends can be parsed. The upsert rejects it later.
  const { a, b }: { readonly a?: unknown; readonly b?: unknown } = "code" in read ? { a: read, b: read } : read;
  return a !== undefined && b !== undefined;
}

/** Returns the order in which the resources of a batch are written: dependencies first. */
export function sortForWriting(
  kind: ResourceKind,
  read: readonly (ResourceByKind[ResourceKind] | OperationError)[],
): readonly number[] {
  if (kind !== "device") return [...read.keys()];
  const devices = read.filter((one): one is ResourceByKind["device"] => !(one instanceof OperationError));
  const needs = createDependencyFinder(kind, devices);
  return sortByDependencies(
    read.map((one) =>
      one instanceof OperationError || !("code" in one)
        ? { code: "", needs: [] }
        : { code: codeKey(one.code), needs: needs(one as ResourceByKind["device"]) },
    ),
  );
}
