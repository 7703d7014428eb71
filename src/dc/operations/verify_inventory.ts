import { setImmediate } from "node:timers/promises";
import type { DescMessage } from "@bufbuild/protobuf";
import type { ChangeRecord } from "#dc/model/inventory.ts";
import { codeKey, getResourceRef, toRefKey } from "#dc/model/ref.ts";
import type { Crac, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import {
  type CheckedRow,
  type DcReader,
  readDocumentPages,
  type StoredDocument,
  type StoredVersion,
} from "#dc/ports.ts";
import { DeviceTypeSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { MaintenanceWindowSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { convertModelToJson } from "./messages/model_json.ts";
import { computeEtag, RESOURCE_SCHEMAS } from "./writes/changes.ts";

/** Documents that the log records, by space, which is also the kind of their references. */
const LOGGED_DOCUMENTS = {
  window: { schema: MaintenanceWindowSchema, formatKey: codeKey },
  device_type: { schema: DeviceTypeSchema, formatKey: (code: string) => code },
} as const;
type DocumentKind = keyof typeof LOGGED_DOCUMENTS;

/** Resources per page: some milliseconds of work. */
const RESOURCES_PER_PAGE = 200;

/** The first row that differs from the change log. */
export interface InventoryProblem {
  readonly ok: false;
  /** Reference of the resource, or the name of a table. */
  readonly ref: string;
  /** Description of the difference, worded to complete a sentence. */
  readonly detail: string;
}

interface RowCounts {
  /** Number of resources whose rows match their latest entry. */
  readonly resources: number;
  /** Number of windows and device types that match their latest entry. */
  readonly documents: number;
  /** Number of resources whose latest entry is a change made without the service: their content is not compared. */
  readonly outOfBand: number;
  /** Number of resources that were last changed in an archived part of the log that was not given. */
  readonly archived: number;
}

export interface VerifiedInventory extends RowCounts {
  readonly ok: true;
}

interface LoggedState {
  readonly seq: number;
  /** Hash of the resource as in its latest entry; undefined if the resource was removed. */
  readonly digest: string | undefined;
  /** Undefined if the entry that created the resource was not read. */
  readonly createTime: string | undefined;
  readonly updateTime: string;
  readonly outOfBand: boolean;
}

/**
 * Reads the change log to its end and then compares the rows of the inventory with it: every resource, every column and
 * every derived row, every window and device type. Memory: some 200 bytes for each resource in the log.
 */
export class InventoryVerification {
  readonly #states = new Map<string, LoggedState>();
  /** Whether the log has entries about resources before the first entry that was read. */
  #beginsLater = false;
  #isFirst = true;
  /** Sequence number of the last entry from before the database's upgrade from version 0.1.0. */
  #upgradedAt = 0;

  /** Processes the next entry of the log. */
  addEntry({ seq, entity, action, after, occurredAt, source }: ChangeRecord): void {
    if (this.#isFirst) this.#beginsLater = seq > 1;
    this.#isFirst = false;
    const key = findDocumentKey(entity) ?? findEntityResourceKey(entity);
    const before = this.#states.get(key);
    const isPort = entity.startsWith("port:");
    this.#states.set(key, {
      seq,
      digest: action === "DELETE" && !isPort ? undefined : computeEtag(after),
      createTime: action === "CREATE" && !isPort ? occurredAt : before?.createTime,
      updateTime: occurredAt,
      outOfBand: source !== "CORE",
    });
  }

  /** Compares all rows of the snapshot. Cost: one pass over every table of the inventory. */
  async compareRows(reader: DcReader): Promise<VerifiedInventory | InventoryProblem> {
    const counts = { resources: 0, documents: 0, outOfBand: 0, archived: 0 };
    // If no entry was read, the log is either new or wholly archived; the head of its hash chain distinguishes them.
    if (this.#isFirst) this.#beginsLater = (await reader.chainHead()).seq > 0;
    this.#upgradedAt = Number((await reader.setting("audit_since"))?.split(" ")[0] ?? 0);
    for await (const found of this.#compareAllRows(reader)) {
      if (typeof found !== "string") return found;
      counts[found] += 1;
    }
    for (const [ref, { seq, digest }] of this.#states) {
      if (digest !== undefined) return createInventoryProblem(ref, `is missing: entry ${seq} of the change log has it`);
    }
    for (const [table, count] of await reader.strayRows())
      return createInventoryProblem(table, `has ${count} rows that belong to no resource`);
    return { ok: true, ...counts };
  }

  async *#compareAllRows(reader: DcReader): AsyncGenerator<keyof RowCounts | InventoryProblem> {
    for (const kind of Object.keys(RESOURCE_SCHEMAS) as ResourceKind[])
      for await (const row of readRowsOfKind(reader, kind)) yield this.#compareRow(kind, row);
    for (const kind of Object.keys(LOGGED_DOCUMENTS) as DocumentKind[])
      for await (const page of readDocumentPages(reader, kind))
        for (const document of page) yield this.#compareDocument(kind, document);
  }

  #compareRow(kind: ResourceKind, row: CheckedRow): "resources" | "outOfBand" | "archived" | InventoryProblem {
    const { key, stored, problem } = row;
    const ref = `${kind}:${key}`;
    if (problem !== undefined || stored === undefined) return createInventoryProblem(ref, `was altered: ${problem}`);
    const state = this.#takeState(toRefKey(getResourceRef(kind, stored.resource as never)), ref);
    if (state === "archived" || "ok" in state) return state;
    if (state.outOfBand) return "outOfBand";
    const difference = describeDifference(RESOURCE_SCHEMAS[kind], stored, state);
    if (difference === undefined) return "resources";
    const earlier = state.seq <= this.#upgradedAt ? revertUpgrade(kind, stored) : undefined;
    const isUpgraded =
      earlier !== undefined && describeDifference(RESOURCE_SCHEMAS[kind], earlier, state) === undefined;
    return isUpgraded ? "resources" : createInventoryProblem(ref, difference);
  }

  #compareDocument(kind: DocumentKind, { key, body }: StoredDocument): "documents" | "archived" | InventoryProblem {
    const ref = `${kind}:${key}`;
    const { schema, formatKey } = LOGGED_DOCUMENTS[kind];
    const stored = parseDocument(body);
    if (stored === undefined) return createInventoryProblem(ref, "was altered: it cannot be read");
    if (formatKey(stored.resource.code) !== key)
      return createInventoryProblem(ref, `was altered: its code is "${stored.resource.code}"`);
    const state = this.#takeState(ref, ref);
    if (state === "archived" || "ok" in state) return state;
    const difference = describeDifference(schema, stored, state);
    return difference === undefined ? "documents" : createInventoryProblem(ref, difference);
  }

  /** Returns the logged state of a row that exists, which is then accounted for. */
  #takeState(name: string, ref: string): LoggedState | "archived" | InventoryProblem {
    const state = this.#states.get(name);
    this.#states.delete(name);
    if (state === undefined)
      return this.#beginsLater ? "archived" : createInventoryProblem(ref, "is in no entry of the change log");
    if (state.digest !== undefined) return state;
    return createInventoryProblem(ref, `exists, and entry ${state.seq} of the change log removed it`);
  }
}

/** Yields every row of one kind, and lets other work of the event loop run after each page. */
async function* readRowsOfKind(reader: DcReader, kind: ResourceKind): AsyncGenerator<CheckedRow> {
  for (let after = ""; ; ) {
    const page = await reader.checkRows(kind, after, RESOURCES_PER_PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key;
    await setImmediate();
  }
}

/** Parses a document; undefined if its text is not as the service writes it. */
function parseDocument(body: string): StoredVersion<{ readonly code: string }> | undefined {
  try {
    const stored = JSON.parse(body);
    const isWhole = DOCUMENT_FIELDS.every((name) => Object.hasOwn(stored, name));
    const isOwn = isWhole && Object.keys(stored).length === DOCUMENT_FIELDS.length && JSON.stringify(stored) === body;
    return isOwn && typeof stored.resource.code === "string" ? stored : undefined;
  } catch {
    return undefined;
  }
}

const DOCUMENT_FIELDS = ["resource", "etag", "createTime", "updateTime"] as const;

function describeDifference(
  schema: DescMessage,
  { resource, etag, createTime, updateTime }: StoredVersion<object>,
  state: LoggedState,
): string | undefined {
  const { seq, digest } = state;
  if (digest !== computeEtag(convertModelToJson(schema, resource))) return `was altered: it differs from entry ${seq}`;
  if (etag !== computeEtag(resource)) return "was altered: its etag is not that of its content";
  if (updateTime !== state.updateTime) return `was altered: its update_time is not that of entry ${seq}`;
  if (createTime !== (state.createTime ?? createTime))
    return "was altered: its create_time differs from its first entry";
  return undefined;
}

/** Returns the row before the schema step "liquid cooling units", which changed rows without writing an entry. */
function revertUpgrade(
  kind: ResourceKind,
  stored: StoredVersion<ResourceByKind[ResourceKind]>,
): StoredVersion<ResourceByKind[ResourceKind]> | undefined {
  if (kind !== "crac") return undefined;
  const { resource, ...rest } = stored as StoredVersion<Crac>;
  return resource.kind === "CDU" ? { ...rest, resource: { ...resource, medium: "AIR" } } : undefined;
}

/** Returns the kind and key of the document that an entry describes; undefined for other entries. */
function findDocumentKey(entity: string): string | undefined {
  const kind = entity.slice(0, entity.indexOf(":"));
  if (!Object.hasOwn(LOGGED_DOCUMENTS, kind)) return undefined;
  return `${kind}:${LOGGED_DOCUMENTS[kind as DocumentKind].formatKey(entity.slice(kind.length + 1))}`;
}

/** Returns the key of the resource that an entry describes: for a port, that of its device. */
function findEntityResourceKey(entity: string): string {
  const key = toRefKey(entity);
  return key.startsWith("port:") ? `device:${key.slice("port:".length, key.indexOf("/"))}` : key;
}

function createInventoryProblem(ref: string, detail: string): InventoryProblem {
  return { ok: false, ref, detail };
}
