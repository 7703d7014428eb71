import type { DescMessage, JsonObject, MessageShape } from "@bufbuild/protobuf";
import { mergeResource, NO_OWNED_PARTS, type OwnedParts } from "#dc/exchange/items.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { codeKey, getResourceKey } from "#dc/model/ref.ts";
import type { Device, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcWriter } from "#dc/ports.ts";
import type { MaintenanceWindow } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { putDeviceType } from "../planning/device_types.ts";
import { restoreWindow } from "../planning/windows/put_window.ts";
import type { WriteSession } from "../rpc.ts";
import { createDependencyFinder, sortByDependencies } from "./bulk.ts";
import { listChangedFields } from "./changes.ts";
import { parseBulkItem } from "./mutations.ts";
import { removeResource } from "./remove.ts";
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
async function catchRefusal<Result>(
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
function sortForWriting(
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

/** A resource as the import source describes it, and the values that the source set before. */
export interface IncomingResource<Kind extends ResourceKind = ResourceKind> {
  readonly resource: ResourceByKind[Kind];
  readonly owned: OwnedParts | undefined;
}

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export type ExchangeResult =
  | {
      readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED";
      readonly changes: readonly FieldChange[];
      /** Ports that the source no longer has, but that stay because another party's cable is connected to them. */
      readonly keptPorts: readonly string[];
    }
  | { readonly error: OperationError };

/** The writes of one transaction of an import. */
export interface ExchangeSession {
  /** Creates resources, or overwrites the source's fields in existing ones. Results are in the order of the items. */
  upsertResources(kind: ResourceKind, items: readonly IncomingResource[]): Promise<readonly ExchangeResult[]>;
  /** Deletes a resource without dependents. @returns the error if it was not deleted, else undefined */
  deleteResource(kind: ResourceKind, named: ResourceByKind[ResourceKind]): Promise<OperationError | undefined>;
  /** Creates or replaces a device type. */
  putDeviceType(type: DeviceType): Promise<WriteOutcome | OperationError>;
  /** Stores a maintenance window from an export. */
  restoreWindow(window: MaintenanceWindow): Promise<WriteOutcome | OperationError>;
  readonly documents: Pick<DcWriter, "document" | "documents" | "putDocument" | "dropDocument">;
}

export function openExchangeSession(session: WriteSession): ExchangeSession {
  return {
    upsertResources: (kind, items) => upsertAllItems(session, kind, items),
    async deleteResource(kind, named) {
      const removed = await catchRefusal(session, () => removeResource(session, kind, named, REMOVE_OPTIONS));
      return removed instanceof OperationError ? removed : undefined;
    },
    putDeviceType: (type) =>
      runForOutcome(session, () => putDeviceType(session, type, { etag: "", at: "device_type" })),
    restoreWindow: (window) => runForOutcome(session, () => restoreWindow(session, window)),
    documents: session.writer,
  };
}

type WriteOutcome = "CREATED" | "UPDATED" | "UNCHANGED";

async function runForOutcome(
  session: WriteSession,
  work: () => Promise<{ readonly outcome: WriteOutcome }>,
): Promise<WriteOutcome | OperationError> {
  const written = await catchRefusal(session, work);
  return written instanceof OperationError ? written : written.outcome;
}

const REMOVE_OPTIONS = { field: "", etag: "", cascade: false, allowMissing: true };

async function upsertAllItems(
  session: WriteSession,
  kind: ResourceKind,
  items: readonly IncomingResource[],
): Promise<readonly ExchangeResult[]> {
  const resources = items.map(({ resource }) => resource);
  await session.writer.preloadResources(kind, resources);
  const results: ExchangeResult[] = [];
  for (const index of sortForWriting(kind, resources)) {
    const item = items[index];
    if (item !== undefined) results[index] = await upsertIncomingResource(session, kind, item);
  }
  return results;
}

async function upsertIncomingResource(
  session: WriteSession,
  kind: ResourceKind,
  { resource, owned }: IncomingResource,
): Promise<ExchangeResult> {
  const before = (await session.writer.stored(kind, getResourceKey(resource)))?.resource;
  const keptPorts = before === undefined ? [] : await findCabledPorts(session, before, resource, owned);
  const wanted =
    before === undefined ? resource : mergeResource(before, resource, owned ?? NO_OWNED_PARTS, new Set(keptPorts));
  const maskPaths = before === undefined ? [] : ["*"];
  const written = await catchRefusal(session, () =>
    upsertResource(session, kind, { resource: wanted, at: "", maskPaths, etag: "" }),
  );
  if (written instanceof OperationError) return { error: written };
  const { outcome, stored } = written;
  const changes = outcome === "UPDATED" && before !== undefined ? listFieldChanges(before, stored.resource) : [];
  return { outcome, changes, keptPorts };
}

/** Returns ports that the source no longer has but that have a cable, which the source may not remove. */
async function findCabledPorts(
  { writer }: WriteSession,
  before: ResourceByKind[ResourceKind],
  wanted: ResourceByKind[ResourceKind],
  owned: OwnedParts | undefined,
): Promise<readonly string[]> {
  if (owned === undefined || !("kind" in before)) return [];
  const names = new Set(((wanted as Device).ports ?? []).map(({ name }) => name));
  const vanished = new Set(owned.ports.filter((name) => !names.has(name)));
  if (vanished.size === 0) return [];
  const cables = await writer.cablesOf(before.code);
  const held = cables.flatMap(({ a, b }) => [a, b]).filter(({ deviceCode }) => deviceCode === before.code);
  return [...new Set(held.map(({ portName }) => portName).filter((name) => vanished.has(name)))];
}

function listFieldChanges(before: object, after: object): readonly FieldChange[] {
  const [was, is] = [before as JsonObject, after as JsonObject];
  return listChangedFields(was, is).map((field) => ({ field, before: was[field], after: is[field] }));
}
