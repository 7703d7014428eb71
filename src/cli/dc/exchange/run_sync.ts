import {
  createModelKey,
  formatOriginRecord,
  formatOriginSpace,
  type MappedSource,
  type OriginRecord,
  parseOriginRecord,
  type SourceItem,
  type SourcePlace,
  type TypesByModel,
} from "#dc/exchange/items.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { codeKey, getResourceKey, getResourceRef } from "#dc/model/ref.ts";
import type { Device, ResourceKind } from "#dc/model/resources.ts";
import { IMPORT_KINDS } from "#dc/operations/import/wire.ts";
import { readAllDeviceTypes } from "#dc/operations/planning/device_types.ts";
import type { ExchangeResult, ExchangeSession, FieldChange } from "#dc/operations/writes/loads.ts";
import { type DcReader, type DcStore, readDocumentPages, readResourcePages } from "#dc/ports.ts";
import { type BatchOptions, retryRefusedItems, runBatches } from "#kernel/batches.ts";
import type { OperationError } from "#kernel/errors.ts";

/** Runs one batch in its own transaction, or in the one transaction of a dry run. */
type RunBatch = <Result>(work: (session: ExchangeSession) => Promise<Result>) => Promise<Result>;

export interface SyncOptions extends BatchOptions {
  readonly origin: string;
  readonly prune: boolean;
  /** Share of a list's objects that may be deleted, in percent. */
  readonly pruneLimit: number;
  /** Number of unreadable source elements. Above 0 nothing is deleted, because they may be the missing resources. */
  readonly unreadable: number;
  readonly progress: (done: number, total: number) => void;
}

/** A change that a sync made, or would make. */
export interface SyncChange {
  readonly action: "create" | "update" | "delete";
  readonly kind: ResourceKind;
  readonly ref: string;
  readonly id: string;
  readonly fields: readonly FieldChange[];
}

/** A resource that the inventory rejected, or that stays although the source no longer has it. */
export interface SyncRefusal {
  readonly kind: ResourceKind;
  readonly ref: string;
  readonly id: string;
  readonly reason: string;
  readonly place?: SourcePlace;
}

export interface SyncResult {
  readonly changes: readonly SyncChange[];
  readonly unchanged: ReadonlyMap<ResourceKind, number>;
  readonly refused: readonly SyncRefusal[];
  /** Resources that are no longer in the source but are kept, without `prune` or because other resources use them. */
  readonly vanished: readonly SyncRefusal[];
  readonly stopped: boolean;
  /** Why nothing was deleted although `prune` asks for it. */
  readonly pruneRefusal?: string;
}

/**
 * Synchronizes the inventory with a source: creates and changes resources, and with `prune` deletes resources from this
 * source that it no longer has. Resources of other sources are kept. A rejected resource does not stop others. Rejected
 * resources are retried as long as retries succeed.
 */
export function runSync(
  mapped: MappedSource,
  known: ReadonlyMap<string, OriginRecord>,
  inBatch: RunBatch,
  options: SyncOptions,
): Promise<SyncResult> {
  return new Synchronization(mapped, known, inBatch, options).run();
}

class Synchronization {
  readonly #items: readonly SourceItem[];
  readonly #known: ReadonlyMap<string, OriginRecord>;
  readonly #runBatch: RunBatch;
  readonly #options: SyncOptions;
  readonly #documentSpace: string;
  readonly #changes: SyncChange[] = [];
  readonly #unchanged = new Map<ResourceKind, number>();
  readonly #refused = new Map<SourceItem, string>();
  /** Resources of the source that are in the inventory and no longer in the source, by id. */
  readonly #vanished: Map<string, OriginRecord>;
  readonly #keepReasons = new Map<string, string>();
  readonly #pruneRefusal: string | undefined;
  /** Records under another id of resources that the source still has, such as after a change of a sheet's key. */
  readonly #renamed: ReadonlyMap<string, readonly [id: string, record: OriginRecord]>;
  #doneCount = 0;

  constructor(
    mapped: Pick<MappedSource, "items" | "kinds">,
    known: ReadonlyMap<string, OriginRecord>,
    inBatch: RunBatch,
    options: SyncOptions,
  ) {
    this.#items = mapped.items;
    this.#known = known;
    this.#runBatch = inBatch;
    this.#options = options;
    this.#documentSpace = formatOriginSpace(options.origin);
    const { vanished, renamed } = findVanished(mapped, known);
    this.#vanished = vanished;
    this.#renamed = renamed;
    if (options.prune) this.#pruneRefusal = findPruneRefusal(known, vanished, options.pruneLimit);
  }

  get #isPruning(): boolean {
    return this.#options.prune && this.#options.unreadable === 0 && this.#pruneRefusal === undefined;
  }

  get #keepReason(): string {
    const { prune, unreadable } = this.#options;
    if (prune && unreadable > 0) {
      return `it stays: ${unreadable} of the source could not be read, and it may be among them`;
    }
    return `it stays: ${this.#pruneRefusal ?? "--prune deletes it"}`;
  }

  async run(): Promise<SyncResult> {
    await this.#removeReplacedResources();
    if (this.#isPruning) await this.#pruneKinds(["cable", "fabric_link", "device"]);
    await this.#upsertItems(this.#items);
    await this.#retryRefusedItems();
    if (this.#isPruning) await this.#pruneKinds(["cable", "fabric_link", "device", "crac", "rack"]);
    return {
      changes: this.#changes,
      unchanged: this.#unchanged,
      refused: [...this.#refused].map(([{ kind, id, resource, place }, reason]) => ({
        kind,
        id,
        reason,
        ref: formatRef(kind, resource),
        ...(place !== undefined && { place }),
      })),
      vanished: [...this.#vanished].map(([id, { kind, named }]) => ({
        kind,
        id,
        ref: formatRef(kind, named),
        reason: this.#keepReasons.get(id) ?? this.#keepReason,
      })),
      stopped: this.#options.stopped(),
      ...(this.#pruneRefusal !== undefined && { pruneRefusal: this.#pruneRefusal }),
    };
  }

  /** Removes resources whose key changed, such as cables with other ends, and vanished cables at needed ports. */
  async #removeReplacedResources(): Promise<void> {
    const needed = new Set(this.#items.flatMap((item) => (item.kind === "cable" ? listEndPorts(item.resource) : [])));
    const replaced = [
      ...this.#items.flatMap((item): [string, OriginRecord][] => {
        const before = this.#known.get(item.id);
        if (
          before === undefined ||
          (before.kind === item.kind && getResourceKey(before.named) === getResourceKey(item.resource))
        )
          return [];
        return [[item.id, before]];
      }),
      ...[...this.#vanished].filter(
        ([, { kind, named }]) => kind === "cable" && listEndPorts(named).some((end) => needed.has(end)),
      ),
    ];
    await this.#removeResources(replaced);
  }

  async #pruneKinds(kinds: readonly ResourceKind[]): Promise<void> {
    for (const kind of kinds) {
      const gone = () => [...this.#vanished].filter(([, record]) => record.kind === kind);
      await retryRefusedItems(gone(), this.#options, async (records) => {
        await this.#removeResources(records);
        return gone();
      });
    }
  }

  async #removeResources(records: readonly (readonly [string, OriginRecord])[]): Promise<void> {
    await runBatches(records, this.#options, (batch) =>
      this.#runBatch(async (session) => {
        for (const [id, { kind, named }] of batch) {
          const refusal = await session.deleteResource(kind, named);
          if (refusal === undefined) await session.documents.dropDocument(this.#documentSpace, id);
          this.#recordRemoval(id, { kind, named }, refusal);
        }
      }),
    );
  }

  #recordRemoval(
    id: string,
    { kind, named }: Pick<OriginRecord, "kind" | "named">,
    refusal: OperationError | undefined,
  ): void {
    if (refusal !== undefined) {
      this.#keepReasons.set(id, refusal.message);
      return;
    }
    this.#vanished.delete(id);
    this.#changes.push({ action: "delete", kind, id, ref: formatRef(kind, named), fields: [] });
  }

  /** Writes items kind by kind, in the order of the kinds' dependencies. Returns all items that are still rejected. */
  async #upsertItems(items: readonly SourceItem[]): Promise<readonly SourceItem[]> {
    for (const kind of IMPORT_KINDS) {
      const ofKind = items.filter((item) => item.kind === kind);
      await runBatches(ofKind, this.#options, async (batch) => {
        const results = await this.#runBatch((session) => this.#writeBatch(session, kind, batch));
        for (const [index, item] of batch.entries()) this.#recordResult(item, results[index]);
        this.#doneCount += batch.length;
        this.#options.progress(Math.min(this.#doneCount, this.#items.length), this.#items.length);
      });
    }
    return [...this.#refused.keys()];
  }

  async #writeBatch(
    session: ExchangeSession,
    kind: ResourceKind,
    batch: readonly SourceItem[],
  ): Promise<readonly ExchangeResult[]> {
    const results = await session.upsertResources(
      kind,
      batch.map(({ id, resource }) => ({ resource, owned: this.#findEarlierRecord(kind, id, resource)?.owned })),
    );
    for (const [index, item] of batch.entries()) {
      const result = results[index];
      if (result === undefined || "error" in result) continue;
      const text = formatOriginRecord(item);
      const before = this.#known.get(item.id);
      if (before === undefined || JSON.stringify(before) !== text)
        await session.documents.putDocument(this.#documentSpace, item.id, text);
      const [former] = this.#renamed.get(createKey(kind, item.resource)) ?? [];
      if (former !== undefined) await session.documents.dropDocument(this.#documentSpace, former);
    }
    return results;
  }

  #findEarlierRecord(kind: ResourceKind, id: string, resource: OriginRecord["named"]): OriginRecord | undefined {
    return this.#known.get(id) ?? this.#renamed.get(createKey(kind, resource))?.[1];
  }

  #recordResult(item: SourceItem, result: ExchangeResult | undefined): void {
    const { kind, id, resource } = item;
    if (result === undefined) return;
    if ("error" in result) {
      this.#refused.set(item, result.error.message);
      return;
    }
    this.#refused.delete(item);
    for (const port of result.keptPorts) {
      this.#keepReasons.set(id, `port ${port} stays: a cable that the source does not have holds it`);
    }
    if (result.outcome === "UNCHANGED") this.#unchanged.set(kind, (this.#unchanged.get(kind) ?? 0) + 1);
    else {
      const action = result.outcome === "CREATED" ? "create" : "update";
      this.#changes.push({ action, kind, id, ref: formatRef(kind, resource), fields: result.changes });
    }
  }

  /** Retries rejected items. If some remain, removes the positions of the devices among them and retries again. */
  async #retryRefusedItems(): Promise<void> {
    const again = (items: readonly SourceItem[]) => this.#upsertItems(items);
    const stuck = await retryRefusedItems([...this.#refused.keys()], this.#options, again);
    if (stuck.length > 0 && !this.#options.stopped() && (await this.#removePositions(stuck)))
      await retryRefusedItems(await again(stuck), this.#options, again);
  }

  /** Removes the positions of devices that block each other, such as two that swap. Returns whether one was written. */
  async #removePositions(stuck: readonly SourceItem[]): Promise<boolean> {
    const devices = stuck.filter((item) => item.kind === "device" && this.#known.has(item.id));
    let moved = false;
    await runBatches(devices, this.#options, async (batch) => {
      const results = await this.#runBatch((session) =>
        session.upsertResources(
          "device",
          batch.map(({ id, resource }) => ({
            resource: removeBlockingFields(resource as Device),
            owned: this.#known.get(id)?.owned,
          })),
        ),
      );
      moved ||= results.some((result) => !("error" in result));
    });
    return moved;
  }
}

/** Returns a copy of a device without the fields that can block another device. */
function removeBlockingFields({ positionU: _, face: __, depth: ___, assetTag: ____, ...rest }: Device): Device {
  return rest;
}

function formatRef(kind: ResourceKind, named: OriginRecord["named"]): string {
  return getResourceRef(kind, named as never);
}

function listEndPorts(named: OriginRecord["named"]): readonly string[] {
  if ("code" in named) return [];
  return [named.a, named.b].map(({ deviceCode, portName }) => `${codeKey(deviceCode)}/${portName}`);
}

/** Share of a list's objects that one import may delete, in percent. */
export const DEFAULT_PRUNE_LIMIT = 25;

type Records = ReadonlyMap<string, OriginRecord>;

/** Returns the key of a resource among all kinds. */
function createKey(kind: ResourceKind, named: OriginRecord["named"]): string {
  return `${kind} ${getResourceKey(named)}`;
}

/**
 * Returns the records of resources that the source no longer has. `renamed` has those, by the key of the resource, that it
 * has under another id, such as after a change of a sheet's key.
 */
function findVanished({ items, kinds }: Pick<MappedSource, "items" | "kinds">, known: Records) {
  const ids = new Set(items.map(({ id }) => id));
  const keys = new Set(items.filter(({ id }) => !known.has(id)).map(({ kind, resource }) => createKey(kind, resource)));
  const vanished = new Map<string, OriginRecord>();
  const renamed = new Map<string, readonly [id: string, record: OriginRecord]>();
  for (const [id, record] of known) {
    if (ids.has(id) || kinds?.includes(record.kind) === false) continue;
    const key = createKey(record.kind, record.named);
    if (keys.has(key)) renamed.set(key, [id, record]);
    else vanished.set(id, record);
  }
  return { vanished, renamed };
}

/**
 * Returns why the vanished resources of a source are not deleted, or undefined if they may be: a list that is empty now, or
 * that lost more than `limit` percent, may be a part of the source. One object of several may always go, and cables
 * of a device that goes are not counted.
 * @param known resources of earlier imports by their id in the source, such as `device/12`
 */
function findPruneRefusal(known: Records, vanished: Records, limit: number): string | undefined {
  const devices = new Set(
    [...vanished.values()].flatMap(({ named }) => ("code" in named ? [codeKey(named.code)] : [])),
  );
  const isCounted = ({ named }: OriginRecord) =>
    "code" in named || ![named.a, named.b].some(({ deviceCode }) => devices.has(codeKey(deviceCode)));
  const gone = countByList([...vanished].filter(([, record]) => isCounted(record)));
  const lists = [...countByList([...known])].flatMap(([list, total]) => {
    const lost = gone.get(list) ?? 0;
    const share = (100 * lost) / total;
    return lost > 0 && share > limit && (lost > 1 || total === 1) ? [{ list, total, lost, share }] : [];
  });
  const [worst] = lists.toSorted((a, b) => b.share - a.share);
  if (worst === undefined) return undefined;
  const { list, total, lost, share } = worst;
  const least = Math.min(100, Math.ceil(share));
  return `the source lacks ${lost} of ${total} in its list "${list}", more than ${limit} %: --prune-limit ${least} deletes them`;
}

function countByList(records: readonly (readonly [id: string, record: OriginRecord])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [id] of records) {
    const list = id.slice(0, id.indexOf("/"));
    counts.set(list, (counts.get(list) ?? 0) + 1);
  }
  return counts;
}

/** Resources and device types in a database before an import. */
export interface KnownResources {
  /** Resources from the same source, by id. */
  readonly records: ReadonlyMap<string, OriginRecord>;
  /** Codes of the resources in `records`, by id. */
  readonly codes: ReadonlyMap<string, string>;
  /** Device types of the catalogue. */
  readonly types: TypesByModel;
  /** Keys of codes that resources of other sources have. */
  readonly foreign: {
    readonly rack: ReadonlySet<string>;
    readonly device: ReadonlySet<string>;
    readonly crac: ReadonlySet<string>;
    readonly feed: ReadonlySet<string>;
  };
}

/** Reads the resources of a source and all codes in use. Cost: one pass over racks, devices and cooling units. */
export function readKnownResources(store: DcStore, origin: string): Promise<KnownResources> {
  return store.read(async (reader) => {
    const records = new Map<string, OriginRecord>();
    const space = formatOriginSpace(origin);
    for await (const page of readDocumentPages(reader, space)) {
      for (const { key, body } of page) {
        const record = parseOriginRecord(body);
        if (record !== undefined) records.set(key, record);
      }
    }
    const codes = new Map<string, string>();
    const own: Record<"rack" | "device" | "crac", Set<string>> = {
      rack: new Set(),
      device: new Set(),
      crac: new Set(),
    };
    for (const [id, { kind, named }] of records) {
      if (!("code" in named) || !(kind in own)) continue;
      codes.set(id, named.code);
      own[kind as "rack"].add(codeKey(named.code));
    }
    const rack = await readForeignCodes(reader, "rack", own.rack);
    const crac = await readForeignCodes(reader, "crac", own.crac);
    const feed = new Set<string>();
    const device = await readForeignCodes(reader, "device", own.device, (one) => {
      for (const { powerOut } of (one as Device).ports ?? [])
        if (powerOut?.feedId !== undefined) feed.add(codeKey(powerOut.feedId));
    });
    return { records, codes, types: await readTypesByModel(reader), foreign: { rack, device, crac, feed } };
  });
}

async function readTypesByModel(reader: DcReader): Promise<TypesByModel> {
  const types = new Map<string, DeviceType>();
  for await (const { resource } of readAllDeviceTypes(reader)) {
    const key = createModelKey(resource.manufacturer, resource.model);
    if (key !== undefined) types.set(key, resource);
  }
  return types;
}

async function readForeignCodes(
  reader: DcReader,
  kind: Extract<ResourceKind, "rack" | "device" | "crac">,
  own: ReadonlySet<string>,
  visit: (resource: object) => void = () => {},
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const page of readResourcePages(reader, kind)) {
    for (const resource of page) {
      const key = getResourceKey(resource);
      if (own.has(key)) continue;
      found.add(key);
      visit(resource);
    }
  }
  return found;
}
