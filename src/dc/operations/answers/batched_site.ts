import type { TraceSite } from "#dc/analysis/cabling/cable_trace.ts";
import { codeKey } from "#dc/model/code.ts";
import { toPortKey } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, PortRef } from "#dc/model/resources.ts";
import type { SourceConsumer } from "#dc/model/site.ts";
import type { DcReader } from "#dc/ports.ts";

/**
 * Reads inventory for many concurrent traces. Combines concurrent reads of devices and cables, and reads neither twice.
 * Cost: two such reads per hop of the longest trace, regardless of the number of traces.
 */
export class BatchedSite implements TraceSite {
  readonly #reader: DcReader;
  readonly #devices: BatchLoader<Device>;
  readonly #cables: BatchLoader<ReadonlyMap<string, Cable>>;

  constructor(reader: DcReader) {
    this.#reader = reader;
    this.#devices = new BatchLoader(async (codes) => {
      const found = await reader.devices(codes);
      return new Map(found.map((device) => [codeKey(device.code), device]));
    });
    this.#cables = new BatchLoader(async (codes) => groupCablesByDevice(await reader.cablesOfAll(codes)));
  }

  device(code: string): Promise<Device | undefined> {
    return this.#devices.load(codeKey(code));
  }

  async cableAt(end: PortRef): Promise<Cable | undefined> {
    return (await this.#cables.load(codeKey(end.deviceCode)))?.get(toPortKey(end));
  }

  feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    return this.#reader.feedDeclarer(feedId);
  }

  crac(code: string): Promise<Crac | undefined> {
    return this.#reader.crac(code);
  }

  consumersOf(sourceRefs: readonly string[]): Promise<readonly SourceConsumer[]> {
    return this.#reader.consumersOf(sourceRefs);
  }
}

function groupCablesByDevice(cables: readonly Cable[]): ReadonlyMap<string, ReadonlyMap<string, Cable>> {
  const found = new Map<string, Map<string, Cable>>();
  for (const cable of cables) {
    for (const end of [cable.a, cable.b]) {
      const key = codeKey(end.deviceCode);
      found.getOrInsertComputed(key, () => new Map()).set(toPortKey(end), cable);
    }
  }
  return found;
}

interface PendingRead<Value> {
  readonly key: string;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

class BatchLoader<Value> {
  readonly #load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly #loads = new Map<string, Promise<Value | undefined>>();
  #pending: PendingRead<Value>[] = [];

  constructor(load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#load = load;
  }

  load(key: string): Promise<Value | undefined> {
    return this.#loads.getOrInsertComputed(key, () => {
      // Waits for the next turn of the event loop, so that all callers that have resumed by then share one read.
      if (this.#pending.length === 0) setTimeout(() => void this.#loadBatch(), 0);
      return new Promise((resolve, reject) => this.#pending.push({ key, resolve, reject }));
    });
  }

  async #loadBatch(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    try {
      const found = await this.#load(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
