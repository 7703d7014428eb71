import type { ChangeRecord } from "#dc/model/inventory.ts";
import type { StoredReading } from "#dc/model/readings/reading_store.ts";
import { getResourceKey } from "#dc/model/ref.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type {
  DcReader,
  DcStore,
  DcWriter,
  DeadLetter,
  FeedDelivery,
  RememberedRequest,
  StoredCheckpoint,
  StoredVersion,
} from "#dc/ports.ts";
import { WorkQueue } from "#dc/store/queue.ts";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import { deliveryKey, MemoryReader } from "./reader.ts";
import { elementsOf, readingKey } from "./readings.ts";
import { newState } from "./state.ts";

/** Keeps everything in memory and runs one piece of work at a time: the model that the databases are compared with. */
export function openMemory(): DcStore {
  const state = newState();
  const turns = new WorkQueue(1);
  return {
    read: <Result>(work: (reader: DcReader) => Promise<Result>) => turns.runWork(() => work(new MemoryReader(state))),
    write: <Result>(work: (writer: DcWriter) => Promise<Result>) =>
      turns.runWork(() => {
        const writer = new MemoryWriter(state);
        return writer.savepoint(() => work(writer));
      }),
    draft: <Result>(work: (writer: DcWriter) => Promise<Result>) =>
      turns.runWork(async () => {
        const writer = new MemoryWriter(state);
        const tried: Result[] = [];
        const undone = new Error("Undone");
        const attempt = writer.savepoint(async () => {
          tried.push(await work(writer));
          throw undone;
        });
        await attempt.catch((error: unknown) => {
          if (error !== undone) throw error;
        });
        return tried[0] as Result;
      }),
    revision: () => turns.runWork(() => new MemoryReader(state).revision()),
    check: async () => {},
    use: () => ({ read: turns.use, write: turns.use }),
    close: () => turns.close(),
  };
}

class MemoryWriter extends MemoryReader implements DcWriter {
  /** How to undo what was done, latest last. */
  private readonly journal: (() => void)[] = [];

  async preloadResources(): Promise<void> {
    // Everything is at hand.
  }

  async put<Kind extends ResourceKind>(kind: Kind, stored: StoredVersion<ResourceByKind[Kind]>): Promise<void> {
    // A copy through text, as a database keeps it: later changes of the caller's object must not reach the store.
    const copy: StoredVersion<ResourceByKind[ResourceKind]> = JSON.parse(formatCanonicalJson(stored));
    this.set(this.state.resources[kind], getResourceKey(copy.resource), copy);
    this.dropLost();
  }

  async remove(kind: ResourceKind, key: string): Promise<void> {
    this.unset(this.state.resources[kind], key);
    this.dropLost();
  }

  /** Readings of elements that are not there any more. A feed's reading stays with the port that declared it. */
  private dropLost(): void {
    if (this.state.readings.size === 0) return;
    const all = elementsOf(this.all("device"), this.all("crac"), this.all("rack"));
    const ends = new Set(all.map(({ ownerKind, ownerKey, port }) => `${ownerKind} ${ownerKey} ${port}`));
    for (const [key, { element }] of this.state.readings) {
      if (!ends.has(`${element.ownerKind} ${element.ownerKey} ${element.port}`)) this.unset(this.state.readings, key);
    }
  }

  async keepReadings(readings: readonly StoredReading[]): Promise<void> {
    for (const one of readings) {
      const copy: StoredReading = JSON.parse(formatCanonicalJson(one));
      const name = readingKey(copy.element.key, copy.quantity);
      const known = this.state.readings.get(name)?.kept.days.closed ?? [];
      const { closed } = copy.kept.days;
      const days = { ...copy.kept.days, closed: closed.length === 0 ? known : closed };
      this.set(this.state.readings, name, { ...copy, kept: { ...copy.kept, days } });
    }
    await this.setSetting("readings_revision", String((await this.readingsRevision()) + 1));
  }

  async dropReadings(before: number): Promise<void> {
    for (const [key, { kept }] of this.state.readings) if (kept.at < before) this.unset(this.state.readings, key);
  }

  async append(records: readonly ChangeRecord[]): Promise<void> {
    for (const record of records) this.set(this.state.changes, record.seq, record);
  }

  async keepCheckpoint(checkpoint: StoredCheckpoint): Promise<void> {
    this.set(this.state.checkpoints, checkpoint.size, checkpoint);
  }

  async dropLog(until: number): Promise<void> {
    for (const seq of this.state.changes.keys()) if (seq <= until) this.unset(this.state.changes, seq);
  }

  async raiseRevision(): Promise<number> {
    const next = (await this.revision()) + 1;
    await this.setSetting("revision", String(next));
    return next;
  }

  async remember(request: RememberedRequest): Promise<void> {
    this.set(this.state.requests, `${request.principal}\n${request.requestId}`, request);
  }

  async forget(before: string): Promise<void> {
    for (const [key, { createdAt }] of this.state.requests)
      if (createdAt < before) this.unset(this.state.requests, key);
  }

  async setSetting(name: string, value: string): Promise<void> {
    this.set(this.state.settings, name, value);
  }

  async putDocument(space: string, key: string, body: string): Promise<void> {
    this.set(this.state.documents, `${space}\n${key}`, body);
  }

  async dropDocument(space: string, key: string): Promise<void> {
    this.unset(this.state.documents, `${space}\n${key}`);
  }

  async keepDelivery(delivery: FeedDelivery): Promise<void> {
    this.set(this.state.deliveries, deliveryKey(delivery), delivery);
  }

  async keepDeadLetter(letter: DeadLetter): Promise<void> {
    this.set(this.state.deadLetters, letter.id, letter);
  }

  async dropDeadLetter(id: string): Promise<void> {
    this.unset(this.state.deadLetters, id);
  }

  async savepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    const mark = this.journal.length;
    try {
      return await work();
    } catch (error) {
      for (const undo of this.journal.splice(mark).toReversed()) undo();
      throw error;
    }
  }

  private set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    const before = map.get(key);
    this.journal.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
    map.set(key, value);
  }

  private unset<Key, Value>(map: Map<Key, Value>, key: Key): void {
    const before = map.get(key);
    if (before === undefined) return;
    this.journal.push(() => map.set(key, before));
    map.delete(key);
  }
}
