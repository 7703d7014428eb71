import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { codeKey } from "#dc/model/code.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { OperationError } from "#kernel/errors.ts";
import { fromMessage } from "../messages/convert.ts";
import type { WriteSession } from "../rpc.ts";
import { codesNeeded } from "./batch_dependencies.ts";
import { inOrderOfNeeds } from "./bulk.ts";
import { SCHEMAS } from "./changes.ts";
import { type Upserted, upsertResource } from "./upsert.ts";

/** What became of one resource of a load. */
export type Loaded =
  | { readonly outcome: Upserted<ResourceKind>["outcome"]; readonly warnings: number }
  | { readonly error: OperationError };

/** One resource to load: finished, or as a message that is still to be read. */
export type LoadItem =
  | { readonly resource: ResourceByKind[ResourceKind] }
  | { readonly message: MessageShape<DescMessage> };

/** Writes resources of one kind; the answers stand in their order. */
export type LoadBatch = (kind: ResourceKind, items: readonly LoadItem[]) => Promise<readonly Loaded[]>;

/**
 * Upserts many resources of any kind inside one transaction: those that others of the batch stand on first. All
 * rules judge before anything is written, so one that is refused keeps no other back and needs no savepoint. Loads above what is written are not judged, since the rest
 * of them is still to come; the analyses tell them.
 */
export async function loadResources(
  session: WriteSession,
  kind: ResourceKind,
  items: readonly LoadItem[],
): Promise<readonly Loaded[]> {
  const read = items.map((item) =>
    "resource" in item
      ? item.resource
      : attempt(() => fromMessage<ResourceByKind[ResourceKind]>(SCHEMAS[kind], item.message)),
  );
  await session.writer.lookAhead(kind, read.filter(hasKey));
  const results: Loaded[] = [];
  for (const index of orderOf(kind, read)) {
    const resource = read[index];
    if (resource === undefined) continue;
    results[index] = resource instanceof OperationError ? { error: resource } : await loadOne(session, kind, resource);
  }
  return results;
}

async function loadOne(
  session: WriteSession,
  kind: ResourceKind,
  resource: ResourceByKind[ResourceKind],
): Promise<Loaded> {
  const { changes } = session;
  const before = changes.noted;
  try {
    const { outcome, warnings } = await upsertResource(session, kind, { resource, at: "", maskPaths: [], etag: "" });
    return { outcome, warnings: warnings.length };
  } catch (error) {
    // A refusal belongs to the resource; a database that went away belongs to the load, and so does half a write.
    const isRefusal = error instanceof OperationError && error.kind !== "unavailable";
    if (isRefusal && changes.noted === before) return { error };
    throw error;
  }
}

/** Whether what was read can be looked for: an edge is known by its ends. */
function hasKey(read: ResourceByKind[ResourceKind] | OperationError): read is ResourceByKind[ResourceKind] {
  if (read instanceof OperationError) return false;
  // An edge without its ends is read as well, and refused later.
  const { a, b }: { readonly a?: unknown; readonly b?: unknown } = "code" in read ? { a: read, b: read } : read;
  return a !== undefined && b !== undefined;
}

/** The order in which resources of a batch are written: those that others need first. */
export function orderOf(
  kind: ResourceKind,
  read: readonly (ResourceByKind[ResourceKind] | OperationError)[],
): readonly number[] {
  if (kind !== "device") return [...read.keys()];
  const devices = read.filter((one): one is ResourceByKind["device"] => !(one instanceof OperationError));
  const needs = codesNeeded(kind, devices);
  return inOrderOfNeeds(
    read.map((one) =>
      one instanceof OperationError || !("code" in one)
        ? { code: "", needs: [] }
        : { code: codeKey(one.code), needs: needs(one as ResourceByKind["device"]) },
    ),
  );
}

function attempt<Result>(work: () => Result): Result | OperationError {
  try {
    return work();
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
}
