import { create, type DescMessage, type DescMethodUnary, type Message, type MessageShape } from "@bufbuild/protobuf";
import { MAX_LOAD_WALK_DEVICES, MAX_LOAD_WALK_PER_ITEM } from "#dc/limits.ts";
import { codeKey, parseCode } from "#dc/model/code.ts";
import { formatCableRef, parseRef } from "#dc/model/ref.ts";
import { Refusal, refuse } from "#dc/model/refusal.ts";
import { formatEdgeKey, getResourceRef } from "#dc/model/resource_key.ts";
import type { Cable, Crac, Device, FabricLink, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { type BulkReply, FindingSchema, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode } from "../answers/parameters.ts";
import { convertFromMessage, convertToMessage } from "../messages/convert.ts";
import { createDeviceMessage, createFabricLinkMessage, createStoredMessage } from "../messages/messages.ts";
import { requireValidMask } from "../messages/update_mask.ts";
import type { WriteSession } from "../rpc.ts";
import { applyBulkItems, type BulkItem, createDependencyFinder, requireBatchSize } from "./bulk.ts";
import { RESOURCE_SCHEMAS } from "./changes.ts";
import { type FindWarnings, findPowerWarnings } from "./power_warnings.ts";
import { type RemovedResource, type RemoveOptions, removeResource } from "./remove.ts";
import { type UpsertInput, upsertResource } from "./upsert.ts";

// Single and bulk calls of every kind use these functions, so that they cannot differ.

/** Converts a stored resource to its message, with its version. */
export function convertStoredResource(
  kind: ResourceKind,
  stored: StoredVersion<ResourceByKind[ResourceKind]>,
): Message {
  // `kind` and `stored` agree, which the compiler cannot infer.
  if (kind === "device") return createDeviceMessage(stored as StoredVersion<Device>);
  if (kind === "fabric_link") return createFabricLinkMessage(stored as StoredVersion<FabricLink>);
  return createStoredMessage(RESOURCE_SCHEMAS[kind], stored);
}

interface UpsertRequest {
  readonly etag: string;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

/** Runs a single upsert. Request and reply contain the resource under the name of its kind. */
export async function upsertSingleResource<Method extends DescMethodUnary, Kind extends ResourceKind>(
  session: WriteSession,
  method: Method,
  kind: Kind,
  request: UpsertRequest,
): Promise<MessageShape<Method["output"]>> {
  const field = kind === "fabric_link" ? "fabricLink" : kind;
  const given = (request as unknown as Record<string, object | undefined>)[field];
  if (given === undefined) throw refuse("REQUIRED_FIELD", `Field "${kind}" is required`, { field: kind });
  const { stored, outcome, warnings } = await upsertResource(session, kind, {
    resource: convertFromMessage<ResourceByKind[Kind]>(RESOURCE_SCHEMAS[kind], given, kind),
    at: kind,
    maskPaths: request.updateMask?.paths ?? [],
    etag: request.etag,
  });
  const ref = getResourceRef(kind, stored.resource);
  const loads = outcome === "UNCHANGED" ? [] : (await reviewLoadsOfRefs(session, [ref]))(ref);
  return create(
    method.output as DescMessage,
    {
      [field]: convertStoredResource(kind, stored),
      outcome: Outcome[outcome],
      warnings: [...warnings, ...loads].map((warning) => convertToMessage(FindingSchema, warning)),
    } as never,
  ) as MessageShape<Method["output"]>;
}

interface DeleteRequest extends Omit<RemoveOptions, "cascade"> {
  readonly code: string;
  readonly cascade: boolean;
}

export type CodedKind = "device" | "rack" | "crac";

/** Returns a resource with its code and placeholders of other required fields. A deletion uses only the code. */
export function createResourceWithCode(kind: CodedKind, code: string): ResourceByKind[CodedKind] {
  const blank: { readonly [Kind in CodedKind]: ResourceByKind[Kind] } = {
    device: { code, kind: "OTHER" } satisfies Device,
    rack: { code } satisfies Rack,
    crac: { code, kind: "CRAC", sensibleCapacityKw: 0 } satisfies Crac,
  };
  return blank[kind];
}

export async function deleteSingleResource(
  session: WriteSession,
  kind: CodedKind,
  request: DeleteRequest,
): Promise<RemovedResource> {
  return removeResource(session, kind, createResourceWithCode(kind, readCode(request.field, request.code)), request);
}

/** Kinds of resources that bulk calls accept. */
export type BulkKind = CodedKind | "cable";

interface BulkUpsertRequest {
  readonly items: readonly object[];
  readonly atomic: boolean;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

export async function upsertInBulk(
  session: WriteSession,
  kind: BulkKind,
  request: BulkUpsertRequest,
): Promise<BulkReply> {
  requireBatchSize("items", request.items.length);
  const maskPaths = request.updateMask?.paths ?? [];
  requireValidMask(RESOURCE_SCHEMAS[kind], maskPaths, "update_mask");
  const models = request.items.map((item, index) => parseBulkItem(kind, item, `items[${index}]`));
  const readable = models.filter((model): model is ResourceByKind[BulkKind] => !(model instanceof Refusal));
  const needs = createDependencyFinder(kind, readable);
  const items = models.map((model, index): BulkItem => {
    const at = `items[${index}]`;
    return {
      ...createItemIdentity(model, { at, given: request.items[index] ?? {} }),
      needs: model instanceof Refusal ? [] : needs(model),
      apply: () => upsertBulkItem(session, kind, { resource: model, at, maskPaths, etag: "" }),
    };
  });
  const { atomic } = request;
  if (kind === "device")
    return applyBulkItems(session, items, { atomic, review: (codes) => reviewPowerLoads(session, codes) });
  if (kind !== "cable") return applyBulkItems(session, items, { atomic });
  return applyBulkItems(session, items, { atomic, review: (refs) => reviewLoadsOfRefs(session, refs) });
}

/** Checks loads after all items of a call are written, since each item changes them. */
function reviewPowerLoads({ writer }: WriteSession, codes: readonly string[]): Promise<FindWarnings> {
  return findPowerWarnings(writer, codes, MAX_LOAD_WALK_DEVICES + codes.length * MAX_LOAD_WALK_PER_ITEM);
}

/** Checks loads upstream of devices and of power cables' inlets, by the references of the changed resources. */
export async function reviewLoadsOfRefs(session: WriteSession, refs: readonly string[]): Promise<FindWarnings> {
  const supplied = new Map<string, string>();
  for (const text of refs) {
    const ref = parseRef(text);
    const code =
      ref?.kind === "cable" ? await findInletDevice(session, ref) : ref?.kind === "device" ? ref.code : undefined;
    if (code !== undefined) supplied.set(text, code);
  }
  if (supplied.size === 0) return () => [];
  const warningsOf = await reviewPowerLoads(session, [...new Set(supplied.values())]);
  return (text) => {
    const code = supplied.get(text);
    return code === undefined ? [] : warningsOf(code);
  };
}

/** Returns the code of the device whose inlet is at an end of a cable. */
async function findInletDevice(
  { writer }: WriteSession,
  { a, b }: Pick<Cable, "a" | "b">,
): Promise<string | undefined> {
  for (const { deviceCode, portName } of [a, b]) {
    const device = await writer.device(deviceCode);
    if (device?.ports?.some(({ name, kind: use }) => name === portName && use === "POWER_IN") === true)
      return device.code;
  }
  return undefined;
}

/** Converts one item, or returns its refusal, so that other items are still applied. */
export function parseBulkItem<Kind extends ResourceKind>(
  kind: Kind,
  item: object,
  at: string,
): ResourceByKind[Kind] | Refusal {
  try {
    return convertFromMessage<ResourceByKind[Kind]>(RESOURCE_SCHEMAS[kind], item, at);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Returns the name of a bulk call's item, and the key by which two items are the same. */
function createItemIdentity(
  model: ResourceByKind[BulkKind] | Refusal,
  { at, given }: { readonly at: string; readonly given: { readonly code?: string } },
): Pick<BulkItem, "field" | "code" | "name" | "key"> {
  const { code } = given;
  if (code !== undefined) return { field: `${at}.code`, code, name: "Code", key: codeKey(code) };
  // An edge without an end can be parsed. The upsert rejects it later.
  const ends: Partial<Cable> = model instanceof Refusal || "code" in model ? {} : model;
  if (ends.a === undefined || ends.b === undefined) return { field: at, code: "", name: "Cable", key: at };
  return { field: at, code: formatCableRef(ends.a, ends.b), name: "Cable", key: formatEdgeKey(ends.a, ends.b) };
}

/** Writes one resource of a call that names several. */
export async function upsertBulkItem<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  { resource, ...input }: Omit<UpsertInput<Kind>, "resource"> & { resource: ResourceByKind[Kind] | Refusal },
) {
  if (resource instanceof Refusal) throw resource;
  const { stored, outcome, warnings } = await upsertResource(session, kind, { resource, ...input });
  return { outcome: Outcome[outcome], etag: stored.etag, warnings };
}

interface BulkDeleteRequest {
  readonly codes: readonly string[];
  readonly cascade: boolean;
  readonly atomic: boolean;
  readonly allowMissing: boolean;
}

/** Deletes consumers and children before the resources that they depend on, so that a batch may contain both. */
export async function deleteInBulk(
  session: WriteSession,
  kind: CodedKind,
  request: BulkDeleteRequest,
): Promise<BulkReply> {
  requireBatchSize("codes", request.codes.length);
  const { cascade, allowMissing } = request;
  const dependants = await groupDependants(session, kind, request.codes);
  const items = request.codes.map((code, index): BulkItem => {
    const field = `codes[${index}]`;
    return {
      field,
      code,
      name: "Code",
      key: codeKey(code),
      needs: dependants.get(codeKey(code)) ?? [],
      apply: async () => {
        const removed = await deleteSingleResource(session, kind, { field, code, etag: "", cascade, allowMissing });
        const { deleted, cascadedRefs } = removed;
        return { outcome: deleted ? Outcome.DELETED : Outcome.NOT_FOUND, etag: "", warnings: [], cascadedRefs };
      },
    };
  });
  return applyBulkItems(session, items, { atomic: request.atomic });
}

/** Maps the key of each given code to the given codes that depend on it and are removed before it. */
export async function groupDependants(
  { writer }: WriteSession,
  kind: CodedKind,
  codes: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const readable = codes.filter((code) => parseCode(code) !== undefined);
  const stored = await Promise.all(readable.map((code) => writer.stored(kind, codeKey(code))));
  const found = stored.flatMap((one) => (one === undefined ? [] : [one.resource]));
  const needs = createDependencyFinder(kind, found);
  const dependants = new Map<string, string[]>();
  for (const resource of found) {
    for (const code of needs(resource)) dependants.getOrInsertComputed(codeKey(code), () => []).push(resource.code);
  }
  return dependants;
}
