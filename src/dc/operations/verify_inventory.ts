import { setImmediate } from "node:timers/promises";
import type { ChangeRecord } from "#dc/model/change_record.ts";
import { getResourceRef, toRefKey } from "#dc/model/resource_key.ts";
import type { Crac, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { CheckedRow, DcReader, StoredVersion } from "#dc/ports.ts";
import { convertModelToJson } from "./messages/model_json.ts";
import { computeEtag, RESOURCE_SCHEMAS } from "./writes/changes.ts";

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

export interface VerifiedInventory {
  readonly ok: true;
  /** Number of resources whose rows match their latest entry. */
  readonly resources: number;
  /** Number of resources whose latest entry is a change made without the service: their content is not compared. */
  readonly outOfBand: number;
  /** Number of resources that were last changed in an archived part of the log that was not given. */
  readonly archived: number;
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
 * every derived row. Memory: some 200 bytes for each resource in the log.
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
    const key = findEntityResourceKey(entity);
    // The log also records documents, which have no row in the inventory.
    if (!Object.hasOwn(RESOURCE_SCHEMAS, key.slice(0, key.indexOf(":")))) return;
    const before = this.#states.get(key);
    const isPort = key !== toRefKey(entity);
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
    const counts = { resources: 0, outOfBand: 0, archived: 0 };
    // If no entry was read, the log is either new or wholly archived; the head of its hash chain distinguishes them.
    if (this.#isFirst) this.#beginsLater = (await reader.chainHead()).seq > 0;
    this.#upgradedAt = Number((await reader.setting("audit_since"))?.split(" ")[0] ?? 0);
    for (const kind of Object.keys(RESOURCE_SCHEMAS) as ResourceKind[]) {
      for await (const row of readRowsOfKind(reader, kind)) {
        const found = this.#compareRow(kind, row);
        if (typeof found !== "string") return found;
        counts[found] += 1;
      }
    }
    for (const [ref, { seq, digest }] of this.#states) {
      if (digest !== undefined) return createInventoryProblem(ref, `is missing: entry ${seq} of the change log has it`);
    }
    for (const [table, count] of await reader.strayRows())
      return createInventoryProblem(table, `has ${count} rows that belong to no resource`);
    return { ok: true, ...counts };
  }

  #compareRow(kind: ResourceKind, row: CheckedRow): "resources" | "outOfBand" | "archived" | InventoryProblem {
    const { key, stored, problem } = row;
    const ref = `${kind}:${key}`;
    if (problem !== undefined || stored === undefined) return createInventoryProblem(ref, `was altered: ${problem}`);
    const name = toRefKey(getResourceRef(kind, stored.resource as never));
    const state = this.#states.get(name);
    this.#states.delete(name);
    if (state === undefined)
      return this.#beginsLater ? "archived" : createInventoryProblem(ref, "is in no entry of the change log");
    const { seq, digest, outOfBand } = state;
    if (digest === undefined)
      return createInventoryProblem(ref, `exists, and entry ${seq} of the change log removed it`);
    if (outOfBand) return "outOfBand";
    const difference = describeDifference(kind, stored, state);
    if (difference === undefined) return "resources";
    const earlier = seq <= this.#upgradedAt ? revertUpgrade(kind, stored) : undefined;
    const isUpgraded = earlier !== undefined && describeDifference(kind, earlier, state) === undefined;
    return isUpgraded ? "resources" : createInventoryProblem(ref, difference);
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

function describeDifference(
  kind: ResourceKind,
  { resource, etag, createTime, updateTime }: StoredVersion<ResourceByKind[ResourceKind]>,
  state: LoggedState,
): string | undefined {
  const { seq, digest } = state;
  if (digest !== computeEtag(convertModelToJson(RESOURCE_SCHEMAS[kind], resource)))
    return `was altered: it differs from entry ${seq}`;
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

/** Returns the key of the resource that an entry describes: for a port, that of its device. */
function findEntityResourceKey(entity: string): string {
  const key = toRefKey(entity);
  return key.startsWith("port:") ? `device:${key.slice("port:".length, key.indexOf("/"))}` : key;
}

function createInventoryProblem(ref: string, detail: string): InventoryProblem {
  return { ok: false, ref, detail };
}
