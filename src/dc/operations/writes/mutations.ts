import { create, type DescMessage, type DescMethodUnary, type Message, type MessageShape } from "@bufbuild/protobuf";
import { MAX_LOAD_WALK_DEVICES, MAX_LOAD_WALK_PER_ITEM } from "#dc/limits.ts";
import { codeKey, parseCode } from "#dc/model/code.ts";
import type { WarningFinding } from "#dc/model/finding.ts";
import { formatCableRef, parseRef } from "#dc/model/ref.ts";
import { Refusal, refuse } from "#dc/model/refusal.ts";
import { formatEdgeKey } from "#dc/model/resource_key.ts";
import type { Cable, Crac, Device, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { type BulkReply, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode } from "../answers/parameters.ts";
import { convertFromMessage } from "../messages/convert.ts";
import {
  createCableMessage,
  createCracMessage,
  createDeviceMessage,
  createFabricLinkMessage,
  createFindingInit,
  createRackMessage,
} from "../messages/messages.ts";
import { requireValidMask } from "../messages/update_mask.ts";
import type { WriteSession } from "../rpc.ts";
import { applyBulkItems, type BulkItem, createDependencyFinder, requireBatchSize } from "./bulk.ts";
import { RESOURCE_SCHEMAS } from "./changes.ts";
import { type FindWarnings, findPowerWarnings } from "./power_warnings.ts";
import { type RemovedResource, type RemoveOptions, removeResource } from "./remove.ts";
import { type UpsertInput, type UpsertResult, upsertResource } from "./upsert.ts";

// Single and bulk calls of every kind use these functions, so that they cannot differ.

export const OUTCOME_NUMBERS: Readonly<Record<UpsertResult<ResourceKind>["outcome"], Outcome>> = {
  CREATED: Outcome.CREATED,
  UPDATED: Outcome.UPDATED,
  UNCHANGED: Outcome.UNCHANGED,
};

const CREATE_MESSAGE_BY_KIND: {
  readonly [Kind in ResourceKind]: (stored: StoredVersion<ResourceByKind[Kind]>) => Message;
} = {
  device: createDeviceMessage,
  rack: createRackMessage,
  crac: createCracMessage,
  cable: createCableMessage,
  fabric_link: createFabricLinkMessage,
};

/** Converts a stored resource to its message, with its version. */
export function convertStoredResource(
  kind: ResourceKind,
  stored: StoredVersion<ResourceByKind[ResourceKind]>,
): Message {
  // `kind` and `stored` agree, which the compiler cannot infer.
  return CREATE_MESSAGE_BY_KIND[kind](stored as never);
}

const MESSAGE_FIELD_BY_KIND: Readonly<Record<ResourceKind, string>> = {
  device: "device",
  rack: "rack",
  crac: "crac",
  cable: "cable",
  fabric_link: "fabricLink",
};

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
  const given = (request as unknown as Record<string, object | undefined>)[MESSAGE_FIELD_BY_KIND[kind]];
  if (given === undefined) throw refuse("REQUIRED_FIELD", `Field "${kind}" is required`, { field: kind });
  const { stored, outcome, warnings } = await upsertResource(session, kind, {
    resource: convertFromMessage<ResourceByKind[Kind]>(RESOURCE_SCHEMAS[kind], given, kind),
    at: kind,
    maskPaths: request.updateMask?.paths ?? [],
    etag: request.etag,
  });
  const loads = outcome === "UNCHANGED" ? [] : await findLoadWarnings(session, kind, stored.resource);
  return create(
    method.output as DescMessage,
    {
      [MESSAGE_FIELD_BY_KIND[kind]]: CREATE_MESSAGE_BY_KIND[kind](stored),
      outcome: OUTCOME_NUMBERS[outcome],
      warnings: [...warnings, ...loads].map(createFindingInit),
    } as never,
  ) as MessageShape<Method["output"]>;
}

/** Returns load warnings after a write: upstream of a moved device, or upstream of the inlet of a power cable. */
async function findLoadWarnings(
  session: WriteSession,
  kind: ResourceKind,
  resource: ResourceByKind[ResourceKind],
): Promise<readonly WarningFinding[]> {
  if (kind === "device" && "code" in resource) return (await reviewPowerLoads(session, [resource.code]))(resource.code);
  if (kind !== "cable" || !("a" in resource)) return [];
  const code = await findInletDevice(session, resource);
  return code === undefined ? [] : (await reviewPowerLoads(session, [code]))(code);
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
  return { outcome: OUTCOME_NUMBERS[outcome], etag: stored.etag, warnings };
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
    for (const code of needs(resource)) {
      const key = codeKey(code);
      dependants.set(key, [...(dependants.get(key) ?? []), resource.code]);
    }
  }
  return dependants;
}
