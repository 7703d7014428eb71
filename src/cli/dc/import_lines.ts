import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import type { Caller } from "#dc/context.ts";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { DcService } from "#dc/service.ts";
import { type BulkReply, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { type BadLine, LINE_KINDS, type LineKind, type ReadLine } from "./lines.ts";

const CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "planner dc import", roles: ["admin"], authMethod: "none" },
};

/** What became of the resources of one kind. */
export interface KindCount {
  readonly key: string;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

export interface Imported {
  readonly counts: readonly KindCount[];
  readonly bad: readonly BadLine[];
}

/** Told after each batch: how many of how many resources have been tried. */
export type Progress = (done: number, total: number) => void;

/**
 * Writes the resources through the door, kinds in the order in which they stand on each other. One that is refused
 * keeps no other back; those refused are tried again as long as that brings any in, since a device may stand before
 * the one that it hangs on.
 */
export async function importLines(
  service: DcService,
  lines: readonly ReadLine[],
  progress: Progress,
): Promise<Imported> {
  const counts: KindCount[] = [];
  const bad: BadLine[] = [];
  let done = 0;
  for (const kind of LINE_KINDS) {
    const count: KindCount = { key: kind.key, created: 0, updated: 0, unchanged: 0, failed: 0 };
    const import_ = new KindImport(service, kind, count);
    let open = lines.filter((line) => line.kind === kind);
    const all = open.length;
    for (let before = Number.POSITIVE_INFINITY; open.length > 0 && open.length < before; ) {
      before = open.length;
      open = await import_.attempt(open, (tried) => progress(done + Math.min(tried, all), lines.length));
    }
    count.failed = open.length;
    bad.push(...import_.refusals(open));
    done += all;
    if (all > 0) counts.push(count);
  }
  return { counts, bad: bad.toSorted((a, b) => a.number - b.number) };
}

class KindImport {
  readonly #service: DcService;
  readonly #kind: LineKind;
  readonly #count: KindCount;
  readonly #messages = new Map<number, string>();

  constructor(service: DcService, kind: LineKind, count: KindCount) {
    this.#service = service;
    this.#kind = kind;
    this.#count = count;
  }

  /** Returns what was refused. */
  async attempt(lines: readonly ReadLine[], tried: (count: number) => void): Promise<ReadLine[]> {
    const refused: ReadLine[] = [];
    const size = this.#kind.bulk ? MAX_BATCH_ITEMS : 1;
    for (let at = 0; at < lines.length; at += size) {
      const batch = lines.slice(at, at + size);
      refused.push(...(this.#kind.bulk ? await this.#many(batch) : await this.#one(batch)));
      tried(at + batch.length);
    }
    return refused;
  }

  refusals(lines: readonly ReadLine[]): BadLine[] {
    return lines.map(({ number }) => ({ number, message: this.#messages.get(number) ?? "" }));
  }

  async #many(batch: readonly ReadLine[]): Promise<ReadLine[]> {
    const reply = (await this.#call({ items: batch.map(({ resource }) => resource) })) as BulkReply;
    return batch.filter((line, index) => {
      const result = reply.results[index];
      if (result === undefined || result.error === undefined) {
        this.#add(result?.outcome ?? Outcome.UNSPECIFIED);
        return false;
      }
      this.#messages.set(line.number, result.error.message);
      return true;
    });
  }

  async #one([line]: readonly ReadLine[]): Promise<ReadLine[]> {
    if (line === undefined) return [];
    try {
      const field = this.#kind.key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const { outcome } = (await this.#call({ [field]: line.resource })) as { readonly outcome: Outcome };
      this.#add(outcome);
      return [];
    } catch (error) {
      if (!(error instanceof OperationError) || error.kind === "unavailable") throw error;
      this.#messages.set(line.number, error.message);
      return [line];
    }
  }

  #call(init: object): Promise<unknown> {
    const { rpc } = this.#kind;
    const request = create(rpc.method.input as DescMessage, init as never) as MessageShape<typeof rpc.method.input>;
    return this.#service.call(rpc, request, CALLER);
  }

  #add(outcome: Outcome): void {
    if (outcome === Outcome.CREATED) this.#count.created++;
    else if (outcome === Outcome.UPDATED) this.#count.updated++;
    else this.#count.unchanged++;
  }
}
