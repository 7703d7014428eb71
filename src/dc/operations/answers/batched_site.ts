import type { TraceSite } from "#dc/analysis/cabling/cable_trace.ts";
import { codeKey } from "#dc/model/code.ts";
import { portKey } from "#dc/model/ref.ts";
import type { Cable, Crac, Device, PortRef } from "#dc/model/resources.ts";
import type { SourceConsumer } from "#dc/model/site.ts";
import type { DcReader } from "#dc/ports.ts";

/**
 * Reads inventory for many concurrent traces. Combines concurrent reads of devices and cables, and reads neither twice.
 * Cost: two such reads per hop of the longest trace, regardless of the number of traces.
 */
export class BatchedSite implements TraceSite {
  readonly #reader: DcReader;
  readonly #devices: Batches<Device>;
  readonly #cables: Batches<ReadonlyMap<string, Cable>>;

  constructor(reader: DcReader) {
    this.#reader = reader;
    this.#devices = new Batches(async (codes) => {
      const found = await reader.devices(codes);
      return new Map(found.map((device) => [codeKey(device.code), device]));
    });
    this.#cables = new Batches(async (codes) => groupCablesByDevice(await reader.cablesOfAll(codes)));
  }

  device(code: string): Promise<Device | undefined> {
    return this.#devices.get(codeKey(code));
  }

  async cableAt(end: PortRef): Promise<Cable | undefined> {
    return (await this.#cables.get(codeKey(end.deviceCode)))?.get(portKey(end));
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
      found.set(key, (found.get(key) ?? new Map<string, Cable>()).set(portKey(end), cable));
    }
  }
  return found;
}

interface Waiting<Value> {
  readonly key: string;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

class Batches<Value> {
  readonly #load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly #known = new Map<string, Promise<Value | undefined>>();
  #waiting: Waiting<Value>[] = [];

  constructor(load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#load = load;
  }

  get(key: string): Promise<Value | undefined> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const asked = new Promise<Value | undefined>((resolve, reject) => {
      // Waits for the next turn of the event loop, so that all callers that have resumed by then share one read.
      if (this.#waiting.length === 0) setTimeout(() => void this.#flush(), 0);
      this.#waiting.push({ key, resolve, reject });
    });
    this.#known.set(key, asked);
    return asked;
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const found = await this.#load(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
