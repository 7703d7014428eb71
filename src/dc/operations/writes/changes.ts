import { createHash } from "node:crypto";
import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { appendToChain } from "#dc/audit/chain.ts";
import type { Caller, DcContext } from "#dc/context.ts";
import type { ChangeActor, ChangeDraft, ChangeRequest } from "#dc/model/inventory.ts";
import { getResourceKey, getResourceRef } from "#dc/model/ref.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcWriter, StoredVersion } from "#dc/ports.ts";
import {
  CableSchema,
  CracSchema,
  DeviceSchema,
  FabricLinkSchema,
  RackSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { cacheCanonicalJson, formatCanonicalJson, isSameJson, sortKeys } from "#kernel/json_object.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { convertModelToJson } from "../messages/model_json.ts";

export const RESOURCE_SCHEMAS: Readonly<Record<ResourceKind, DescMessage>> = {
  device: DeviceSchema,
  rack: RackSchema,
  crac: CracSchema,
  cable: CableSchema,
  fabric_link: FabricLinkSchema,
};

/** Number of entries that are hashed between two pauses. Our choice: about two milliseconds. */
const ENTRIES_PER_PAUSE = 100;

interface ChangeOrigin {
  readonly context: DcContext;
  readonly caller: Caller;
  readonly method: string;
  readonly requestId: string;
  readonly message: string;
  readonly now: string;
}

/** A change of a resource or document: its reference, its containers, and its value before and after. */
interface Noted {
  readonly entity: string;
  readonly related: readonly string[];
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/**
 * Records every write of one transaction: row and change log entry are written together or not at all. Entries are
 * buffered until the end of the writes, so that rolling back a savepoint can discard its entries.
 */
export class ChangeRecorder {
  readonly transactionId: string;
  readonly #origin: ChangeOrigin;
  readonly #writer: DcWriter;
  /** The actor, which is the same for all entries and stored with each of them. */
  readonly #actor: ChangeActor;
  readonly #request: ChangeRequest;
  #drafts: ChangeDraft[] = [];

  constructor(writer: DcWriter, origin: ChangeOrigin) {
    this.#writer = writer;
    this.#origin = origin;
    this.transactionId = origin.context.newId();
    this.#actor = sortKeys(createChangeActor(origin.caller));
    this.#request = sortKeys(createChangeRequest(origin));
  }

  /** Stores a resource and buffers its log entry. */
  async putResource<Kind extends ResourceKind>(
    kind: Kind,
    resource: ResourceByKind[Kind],
    before: StoredVersion<ResourceByKind[Kind]> | undefined,
  ): Promise<StoredVersion<ResourceByKind[Kind]>> {
    const { now } = this.#origin;
    // The etag and the row use the same canonical text, unless parts such as ports have their own rows.
    cacheCanonicalJson(resource);
    const stored = { resource, etag: computeEtag(resource), createTime: before?.createTime ?? now, updateTime: now };
    await this.#writer.put(kind, stored, before?.resource);
    this.#recordResource(kind, before?.resource, resource);
    return stored;
  }

  async removeResource<Kind extends ResourceKind>(kind: Kind, resource: ResourceByKind[Kind]): Promise<void> {
    await this.#writer.remove(kind, getResourceKey(resource));
    this.#recordResource(kind, resource, undefined);
  }

  /** Buffers the log entry of a document that the caller stores. */
  recordDocument(schema: DescMessage, entity: string, before: object | undefined, after: object | undefined): void {
    this.#addDraft(schema, { entity, related: [], before, after });
  }

  /** Unique references of entities whose changes are not in the log yet. */
  get entityRefs(): readonly string[] {
    return [...new Set(this.#drafts.map(({ entity }) => entity))];
  }

  /** Number of changes that are not in the log yet. */
  get pendingCount(): number {
    return this.#drafts.length;
  }

  /** Runs `work` in a savepoint; if it throws, removes its log entries together with its rows. */
  async runInSavepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    const mark = this.#drafts.length;
    try {
      return await this.#writer.savepoint(work);
    } catch (error) {
      this.#drafts = this.#drafts.slice(0, mark);
      throw error;
    }
  }

  /** Appends the entries to the hash chain and raises the revision. Does nothing without entries. */
  async flush(): Promise<void> {
    if (this.#drafts.length === 0) return;
    let head = await this.#writer.chainHead();
    const scheduler = CooperativeScheduler.createForWrite();
    const drafts = this.#drafts;
    for (let at = 0; at < drafts.length; at += ENTRIES_PER_PAUSE) {
      await scheduler.yieldIfDue();
      const records = drafts.slice(at, at + ENTRIES_PER_PAUSE).map((draft) => {
        const record = appendToChain(head, draft);
        head = record;
        return record;
      });
      await this.#writer.append(records);
    }
    await this.#writer.raiseRevision();
    this.#drafts = [];
  }

  #recordResource<Kind extends ResourceKind>(
    kind: Kind,
    before: ResourceByKind[Kind] | undefined,
    after: ResourceByKind[Kind] | undefined,
  ): void {
    const named = after ?? before;
    if (named === undefined) return;
    const related = [...new Set([...listContainerRefs(before), ...listContainerRefs(after)])];
    this.#addDraft(RESOURCE_SCHEMAS[kind], { entity: getResourceRef(kind, named), related, before, after });
  }

  #addDraft(schema: DescMessage, { entity, related, before, after }: Noted): void {
    const was = before && convertModelToJson(schema, before);
    const is = after && convertModelToJson(schema, after);
    const { context, now, message } = this.#origin;
    this.#drafts.push({
      id: context.newId(),
      occurredAt: now,
      recordedAt: now,
      actor: this.#actor,
      request: this.#request,
      action: before === undefined ? "CREATE" : after === undefined ? "DELETE" : "UPDATE",
      entity,
      related,
      ...(was !== undefined && { before: was }),
      ...(is !== undefined && { after: is }),
      changedFields: listChangedFields(was, is),
      ...(message !== "" && { message }),
      source: "CORE",
      transactionId: this.transactionId,
    });
  }
}

/** Returns the version of a resource: equal resources have equal versions, on every replica. */
export function computeEtag(resource: unknown): string {
  return createHash("sha256").update(formatCanonicalJson(resource)).digest("base64url").slice(0, 22);
}

/** Returns the sorted names of top-level fields that differ; all names if one side is absent. */
export function listChangedFields(before: JsonObject | undefined, after: JsonObject | undefined): readonly string[] {
  if (before === undefined || after === undefined) return Object.keys(before ?? after ?? {}).toSorted();
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSameJson(before[name], after[name])).toSorted();
}

/** Returns references of containers, so that a rack's history includes its devices and a device's its cables. */
export function listContainerRefs(resource: ResourceByKind[ResourceKind] | undefined): readonly string[] {
  if (resource === undefined) return [];
  if ("a" in resource) {
    return [resource.a, resource.b].flatMap(({ deviceCode, portName }) =>
      portName === "" ? [`device:${deviceCode}`] : [`device:${deviceCode}`, `port:${deviceCode}/${portName}`],
    );
  }
  const found: string[] = [];
  if ("rackCode" in resource && resource.rackCode !== undefined) found.push(`rack:${resource.rackCode}`);
  if ("parentDeviceCode" in resource && resource.parentDeviceCode !== undefined) {
    found.push(`device:${resource.parentDeviceCode}`);
  }
  return found;
}

function createChangeActor({ principal, onBehalfOf }: Caller): ChangeActor {
  return {
    principal: principal?.name ?? "anonymous",
    roles: principal?.roles ?? [],
    authMethod: principal?.authMethod ?? "none",
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  };
}

export function createChangeRequest({
  caller,
  method,
  requestId,
}: Pick<ChangeOrigin, "caller" | "method" | "requestId">): ChangeRequest {
  const { clientIp, userAgent, traceId } = caller;
  return {
    id: requestId,
    interface: caller.interface,
    method,
    ...(clientIp !== undefined && { clientIp }),
    ...(userAgent !== undefined && { userAgent }),
    ...(traceId !== undefined && { traceId }),
  };
}
