import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ChangeRecord } from "#dc/model/change_record.ts";
import { refKey, resourceRef } from "#dc/model/resource_key.ts";
import type { Crac, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { CheckedRow, DcReader, Stored } from "#dc/ports.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import { modelJson } from "./messages/model_json.ts";
import { etagOf, SCHEMAS } from "./writes/changes.ts";

/** Resources per page: some milliseconds of work. */
const PAGE = 200;

/** The first row that differs from the change log. */
export interface InventoryProblem {
  readonly ok: false;
  /** Reference of the resource, or the name of a table. */
  readonly ref: string;
  /** Description of the difference, to complete a sentence. */
  readonly detail: string;
}

export interface VerifiedInventory {
  readonly ok: true;
  /** Number of resources whose rows match their latest entry. */
  readonly resources: number;
  /** Resources whose latest entry is a change made without the service: their content is not compared. */
  readonly outOfBand: number;
  /** Resources that were last changed in an archived part of the log that was not given. */
  readonly archived: number;
}

interface LoggedState {
  readonly seq: number;
  /** Hash of the resource as the entry has it; undefined once it was removed. */
  readonly digest: string | undefined;
  /** Undefined when the entry that created it was not seen. */
  readonly createTime: string | undefined;
  readonly updateTime: string;
  readonly outOfBand: boolean;
}

/**
 * Follows the change log to its end and then compares the rows of the inventory with it: every resource, every column
 * and every derived row. Memory: some 200 bytes for each resource that the log names.
 */
export class InventoryVerification {
  readonly #states = new Map<string, LoggedState>();
  /** Whether entries before the first that was seen may speak of a resource. */
  #beginsLater = false;
  #isFirst = true;
  /** Last entry from before the database's upgrade from version 0.1.0. */
  #upgradedAt = 0;

  /** Processes the next entry of the log. */
  take({ seq, entity, action, after, occurredAt, source }: ChangeRecord): void {
    if (this.#isFirst) this.#beginsLater = seq > 1;
    this.#isFirst = false;
    const key = resourceOf(entity);
    // The log also records documents, which have no row in the inventory.
    if (!Object.hasOwn(SCHEMAS, key.slice(0, key.indexOf(":")))) return;
    const before = this.#states.get(key);
    const isPort = key !== refKey(entity);
    this.#states.set(key, {
      seq,
      digest: action === "DELETE" && !isPort ? undefined : digestOf(after),
      createTime: action === "CREATE" && !isPort ? occurredAt : before?.createTime,
      updateTime: occurredAt,
      outOfBand: source !== "CORE",
    });
  }

  /** Compares all rows of the snapshot. Cost: one pass over every table of the inventory. */
  async compare(reader: DcReader): Promise<VerifiedInventory | InventoryProblem> {
    const counts = { resources: 0, outOfBand: 0, archived: 0 };
    // Without an entry, the log is new or wholly archived; its head shows which.
    if (this.#isFirst) this.#beginsLater = (await reader.chainHead()).seq > 0;
    this.#upgradedAt = Number((await reader.setting("audit_since"))?.split(" ")[0] ?? 0);
    for (const kind of Object.keys(SCHEMAS) as ResourceKind[]) {
      for await (const row of rowsOf(reader, kind)) {
        const found = this.#compareRow(kind, row);
        if (typeof found !== "string") return found;
        counts[found] += 1;
      }
    }
    for (const [ref, { seq, digest }] of this.#states) {
      if (digest !== undefined) return reportProblem(ref, `is missing: entry ${seq} of the change log has it`);
    }
    for (const [table, count] of await reader.strayRows())
      return reportProblem(table, `has ${count} rows that belong to no resource`);
    return { ok: true, ...counts };
  }

  #compareRow(kind: ResourceKind, row: CheckedRow): "resources" | "outOfBand" | "archived" | InventoryProblem {
    const { key, stored, problem } = row;
    const ref = `${kind}:${key}`;
    if (problem !== undefined || stored === undefined) return reportProblem(ref, `was altered: ${problem}`);
    const name = refKey(resourceRef(kind, stored.resource as never));
    const state = this.#states.get(name);
    this.#states.delete(name);
    if (state === undefined)
      return this.#beginsLater ? "archived" : reportProblem(ref, "is in no entry of the change log");
    const { seq, digest, outOfBand } = state;
    if (digest === undefined) return reportProblem(ref, `exists, and entry ${seq} of the change log removed it`);
    if (outOfBand) return "outOfBand";
    const difference = differenceOf(kind, stored, state);
    if (difference === undefined) return "resources";
    const earlier = seq <= this.#upgradedAt ? beforeUpgrade(kind, stored) : undefined;
    const isUpgraded = earlier !== undefined && differenceOf(kind, earlier, state) === undefined;
    return isUpgraded ? "resources" : reportProblem(ref, difference);
  }
}

/** Every row of a kind; yields to the event loop after each page. */
async function* rowsOf(reader: DcReader, kind: ResourceKind): AsyncGenerator<CheckedRow> {
  for (let after = ""; ; ) {
    const page = await reader.checkRows(kind, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key;
    await setImmediate();
  }
}

function differenceOf(
  kind: ResourceKind,
  { resource, etag, createTime, updateTime }: Stored<ResourceByKind[ResourceKind]>,
  state: LoggedState,
): string | undefined {
  const { seq, digest } = state;
  if (digest !== digestOf(modelJson(SCHEMAS[kind], resource))) return `was altered: it differs from entry ${seq}`;
  if (etag !== etagOf(resource)) return "was altered: its etag is not that of its content";
  if (updateTime !== state.updateTime) return `was altered: its update_time is not that of entry ${seq}`;
  if (createTime !== (state.createTime ?? createTime))
    return "was altered: its create_time differs from its first entry";
  return undefined;
}

/** The row as it was before the schema's step "liquid cooling units", which has no entry, changed it. */
function beforeUpgrade(
  kind: ResourceKind,
  stored: Stored<ResourceByKind[ResourceKind]>,
): Stored<ResourceByKind[ResourceKind]> | undefined {
  if (kind !== "crac") return undefined;
  const { resource, ...rest } = stored as Stored<Crac>;
  return resource.kind === "CDU" ? { ...rest, resource: { ...resource, medium: "AIR" } } : undefined;
}

function digestOf(json: unknown): string {
  return createHash("sha256").update(formatCanonicalJson(json)).digest("base64url").slice(0, 22);
}

/** The key of the resource that an entry is about: a port's is its device's. */
function resourceOf(entity: string): string {
  const key = refKey(entity);
  return key.startsWith("port:") ? `device:${key.slice("port:".length, key.indexOf("/"))}` : key;
}

function reportProblem(ref: string, detail: string): InventoryProblem {
  return { ok: false, ref, detail };
}
