import type { JsonObject } from "@bufbuild/protobuf";
import { mergeResource, NO_OWNED_PARTS, type OwnedParts } from "#dc/exchange/merge.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { getResourceKey } from "#dc/model/ref.ts";
import type { Device, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcWriter } from "#dc/ports.ts";
import type { MaintenanceWindow } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { putDeviceType } from "../planning/put_device_type.ts";
import { restoreWindow } from "../planning/windows/put_window.ts";
import type { WriteSession } from "../rpc.ts";
import { listChangedFields } from "./changes.ts";
import { catchRefusal, sortForWriting } from "./load.ts";
import { removeResource } from "./remove.ts";
import { upsertResource } from "./upsert.ts";

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
