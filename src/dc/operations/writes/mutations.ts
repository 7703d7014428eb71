import { create, type DescMessage, type DescMethodUnary, type Message, type MessageShape } from "@bufbuild/protobuf";
import { MAX_LOAD_WALK, MAX_LOAD_WALK_PER_ITEM } from "#dc/limits.ts";
import { codeKey, parseCode } from "#dc/model/code.ts";
import type { WarningFinding } from "#dc/model/finding.ts";
import { cableRef, parseRef } from "#dc/model/ref.ts";
import { Refusal, refuse } from "#dc/model/refusal.ts";
import { edgeKey } from "#dc/model/resource_key.ts";
import type { Cable, Crac, Device, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { Stored } from "#dc/ports.ts";
import { type BulkReply, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode } from "../answers/parameters.ts";
import { fromMessage } from "../messages/convert.ts";
import {
  cableMessage,
  cracMessage,
  deviceMessage,
  fabricLinkMessage,
  findingInit,
  rackMessage,
} from "../messages/messages.ts";
import { checkMask } from "../messages/update_mask.ts";
import type { WriteSession } from "../rpc.ts";
import { type BulkItem, codesNeeded, demandBatchSize, runBulk } from "./bulk.ts";
import { SCHEMAS } from "./changes.ts";
import { powerWarnings, type WarningsOf } from "./power_warnings.ts";
import { type Removed, type RemoveOptions, removeResource } from "./remove.ts";
import { type Upserted, type UpsertInput, upsertResource } from "./upsert.ts";

// Single and bulk calls of every kind use these functions, so that they cannot differ.

export const OUTCOMES: Readonly<Record<Upserted<ResourceKind>["outcome"], Outcome>> = {
  CREATED: Outcome.CREATED,
  UPDATED: Outcome.UPDATED,
  UNCHANGED: Outcome.UNCHANGED,
};

const MESSAGES: { readonly [Kind in ResourceKind]: (stored: Stored<ResourceByKind[Kind]>) => Message } = {
  device: deviceMessage,
  rack: rackMessage,
  crac: cracMessage,
  cable: cableMessage,
  fabric_link: fabricLinkMessage,
};

/** The message of a stored resource, with its version. */
export function storedMessage(kind: ResourceKind, stored: Stored<ResourceByKind[ResourceKind]>): Message {
  // Kind and resource agree, which the compiler cannot follow.
  return MESSAGES[kind](stored as never);
}

const FIELDS: Readonly<Record<ResourceKind, string>> = {
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
export async function upsertOne<Method extends DescMethodUnary, Kind extends ResourceKind>(
  session: WriteSession,
  method: Method,
  kind: Kind,
  request: UpsertRequest,
): Promise<MessageShape<Method["output"]>> {
  const given = (request as unknown as Record<string, object | undefined>)[FIELDS[kind]];
  if (given === undefined) throw refuse("REQUIRED_FIELD", `Field "${kind}" is required`, { field: kind });
  const { stored, outcome, warnings } = await upsertResource(session, kind, {
    resource: fromMessage<ResourceByKind[Kind]>(SCHEMAS[kind], given, kind),
    at: kind,
    maskPaths: request.updateMask?.paths ?? [],
    etag: request.etag,
  });
  const loads = outcome === "UNCHANGED" ? [] : await loadWarnings(session, kind, stored.resource);
  return create(
    method.output as DescMessage,
    {
      [FIELDS[kind]]: MESSAGES[kind](stored),
      outcome: OUTCOMES[outcome],
      warnings: [...warnings, ...loads].map(findingInit),
    } as never,
  ) as MessageShape<Method["output"]>;
}

/** A moved device changes the loads upstream of itself, a power cable those upstream of its inlet. */
async function loadWarnings(
  session: WriteSession,
  kind: ResourceKind,
  resource: ResourceByKind[ResourceKind],
): Promise<readonly WarningFinding[]> {
  if (kind === "device" && "code" in resource) return (await reviewPower(session, [resource.code]))(resource.code);
  if (kind !== "cable" || !("a" in resource)) return [];
  const code = await suppliedBy(session, resource);
  return code === undefined ? [] : (await reviewPower(session, [code]))(code);
}

interface DeleteRequest extends Omit<RemoveOptions, "cascade"> {
  readonly code: string;
  readonly cascade: boolean;
}

export type Coded = "device" | "rack" | "crac";

/** A resource with only its code, which is all that a deletion uses. */
export function namedResource(kind: Coded, code: string): ResourceByKind[Coded] {
  const blank: { readonly [Kind in Coded]: ResourceByKind[Kind] } = {
    device: { code, kind: "OTHER" } satisfies Device,
    rack: { code } satisfies Rack,
    crac: { code, kind: "CRAC", sensibleCapacityKw: 0 } satisfies Crac,
  };
  return blank[kind];
}

export async function deleteOne(session: WriteSession, kind: Coded, request: DeleteRequest): Promise<Removed> {
  return removeResource(session, kind, namedResource(kind, readCode(request.field, request.code)), request);
}

/** Kinds that bulk calls accept. */
export type Many = Coded | "cable";

interface BulkUpsertRequest {
  readonly items: readonly object[];
  readonly atomic: boolean;
  readonly updateMask?: { readonly paths: readonly string[] } | undefined;
}

export async function bulkUpsert(session: WriteSession, kind: Many, request: BulkUpsertRequest): Promise<BulkReply> {
  demandBatchSize("items", request.items.length);
  const maskPaths = request.updateMask?.paths ?? [];
  checkMask(SCHEMAS[kind], maskPaths, "update_mask");
  const models = request.items.map((item, index) => readItem(kind, item, `items[${index}]`));
  const readable = models.filter((model): model is ResourceByKind[Many] => !(model instanceof Refusal));
  const needs = codesNeeded(kind, readable);
  const items = models.map((model, index): BulkItem => {
    const at = `items[${index}]`;
    return {
      ...identityOf(model, { at, given: request.items[index] ?? {} }),
      needs: model instanceof Refusal ? [] : needs(model),
      apply: () => upsertItem(session, kind, { resource: model, at, maskPaths, etag: "" }),
    };
  });
  const { atomic } = request;
  if (kind === "device") return runBulk(session, items, { atomic, review: (codes) => reviewPower(session, codes) });
  if (kind !== "cable") return runBulk(session, items, { atomic });
  return runBulk(session, items, { atomic, review: (refs) => reviewRefs(session, refs) });
}

/** Loads are judged when all of a call is written, since each item moves them. */
function reviewPower({ writer }: WriteSession, codes: readonly string[]): Promise<WarningsOf> {
  return powerWarnings(writer, codes, MAX_LOAD_WALK + codes.length * MAX_LOAD_WALK_PER_ITEM);
}

/**
 * Checks the loads upstream of devices and of the inlets of power cables, by the references of the changed resources.
 */
export async function reviewRefs(session: WriteSession, refs: readonly string[]): Promise<WarningsOf> {
  const supplied = new Map<string, string>();
  for (const text of refs) {
    const ref = parseRef(text);
    const code = ref?.kind === "cable" ? await suppliedBy(session, ref) : ref?.kind === "device" ? ref.code : undefined;
    if (code !== undefined) supplied.set(text, code);
  }
  const warningsOf = await reviewPower(session, [...new Set(supplied.values())]);
  return (text) => {
    const code = supplied.get(text);
    return code === undefined ? [] : warningsOf(code);
  };
}

/** The device whose inlet a cable ends at. */
async function suppliedBy({ writer }: WriteSession, { a, b }: Pick<Cable, "a" | "b">): Promise<string | undefined> {
  for (const { deviceCode, portName } of [a, b]) {
    const device = await writer.device(deviceCode);
    if (device?.ports?.some(({ name, kind: use }) => name === portName && use === "POWER_IN") === true)
      return device.code;
  }
  return undefined;
}

/** An item that cannot be read fails alone; the others go on. */
export function readItem<Kind extends ResourceKind>(
  kind: Kind,
  item: object,
  at: string,
): ResourceByKind[Kind] | Refusal {
  try {
    return fromMessage<ResourceByKind[Kind]>(SCHEMAS[kind], item, at);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Returns the name of a bulk call's item, and the key by which two items are the same. */
function identityOf(
  model: ResourceByKind[Many] | Refusal,
  { at, given }: { readonly at: string; readonly given: { readonly code?: string } },
): Pick<BulkItem, "field" | "code" | "name" | "key"> {
  const { code } = given;
  if (code !== undefined) return { field: `${at}.code`, code, name: "Code", key: codeKey(code) };
  // An edge without an end is read as well, and refused later.
  const ends: Partial<Cable> = model instanceof Refusal || "code" in model ? {} : model;
  if (ends.a === undefined || ends.b === undefined) return { field: at, code: "", name: "Cable", key: at };
  return { field: at, code: cableRef(ends.a, ends.b), name: "Cable", key: edgeKey(ends.a, ends.b) };
}

/** Writes one resource of a call that names several. */
export async function upsertItem<Kind extends ResourceKind>(
  session: WriteSession,
  kind: Kind,
  { resource, ...input }: Omit<UpsertInput<Kind>, "resource"> & { resource: ResourceByKind[Kind] | Refusal },
) {
  if (resource instanceof Refusal) throw resource;
  const { stored, outcome, warnings } = await upsertResource(session, kind, { resource, ...input });
  return { outcome: OUTCOMES[outcome], etag: stored.etag, warnings };
}

interface BulkDeleteRequest {
  readonly codes: readonly string[];
  readonly cascade: boolean;
  readonly atomic: boolean;
  readonly allowMissing: boolean;
}

/** Deletes consumers and children before the resources that they depend on, so that a batch may contain both. */
export async function bulkDelete(session: WriteSession, kind: Coded, request: BulkDeleteRequest): Promise<BulkReply> {
  demandBatchSize("codes", request.codes.length);
  const { cascade, allowMissing } = request;
  const dependants = await dependantsOf(session, kind, request.codes);
  const items = request.codes.map((code, index): BulkItem => {
    const field = `codes[${index}]`;
    return {
      field,
      code,
      name: "Code",
      key: codeKey(code),
      needs: dependants.get(codeKey(code)) ?? [],
      apply: async () => {
        const removed = await deleteOne(session, kind, { field, code, etag: "", cascade, allowMissing });
        const { deleted, cascadedRefs } = removed;
        return { outcome: deleted ? Outcome.DELETED : Outcome.NOT_FOUND, etag: "", warnings: [], cascadedRefs };
      },
    };
  });
  return runBulk(session, items, { atomic: request.atomic });
}

/** The codes among `codes` that depend on each of them, by its key: they are removed before it. */
export async function dependantsOf(
  { writer }: WriteSession,
  kind: Coded,
  codes: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const readable = codes.filter((code) => parseCode(code) !== undefined);
  const stored = await Promise.all(readable.map((code) => writer.stored(kind, codeKey(code))));
  const found = stored.flatMap((one) => (one === undefined ? [] : [one.resource]));
  const needs = codesNeeded(kind, found);
  const dependants = new Map<string, string[]>();
  for (const resource of found) {
    for (const code of needs(resource)) {
      const key = codeKey(code);
      dependants.set(key, [...(dependants.get(key) ?? []), resource.code]);
    }
  }
  return dependants;
}
