import type { ResourceKind } from "#dc/model/resources.ts";
import type { LoadItem } from "#dc/operations/writes/load.ts";
import { OperationError } from "#kernel/errors.ts";
import { type BatchPace, retryRefusedItems, runBatches } from "../../import/batches.ts";
import { KIND_NAMES, parseLoadItem } from "../kinds.ts";
import type { WaitCallbacks } from "./import_store.ts";
import { type BadLine, isBadLine, type Line, type Source } from "./source.ts";
import type { ImportTarget, ItemWriteResult, WriteBatch } from "./target.ts";

export interface KindCount {
  readonly kind: ResourceKind;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

export interface ImportWatcher extends WaitCallbacks {
  /** Called after each batch with the number of processed items and the total. */
  readonly progress: (done: number, total: number) => void;
  readonly failed: (line: BadLine) => void;
  /** Returns whether the import must end after the current batch. */
  readonly stopped: () => boolean;
}

interface ReadLine {
  readonly line: Line;
  readonly item: LoadItem;
}

export interface ImportResult {
  readonly counts: readonly KindCount[];
  /** Number of lines that have no kind. */
  readonly unreadable: number;
  readonly stopped: boolean;
}

/** Maximum number of rejected lines that are retried. If more are rejected, another order of lines does not help. */
const MAX_RETRIED = 100_000;

/** Error that rolls back an atomic import after an item failed; contains the counts. */
export class ImportUndone extends Error {
  readonly result: ImportResult;

  constructor(result: ImportResult) {
    super("The import was undone");
    this.result = result;
  }
}

/**
 * Writes everything that a source contains, kinds in the order of their dependencies. A rejected resource does not stop
 * others. It is retried as long as retries succeed, because a device may precede its supply in the source.
 * @throws ImportUndone if `atomic` is set and an item fails or the import is stopped; everything is rolled back
 */
export async function runImport(
  source: Source,
  target: ImportTarget,
  { atomic, ...watcher }: ImportWatcher & { readonly atomic: boolean },
): Promise<ImportResult> {
  const work = async (write: WriteBatch): Promise<ImportResult> => {
    const run = new ImportRun(source, write, { ...watcher, size: target.batchSize });
    const result = await run.all();
    const failed = result.unreadable + result.counts.reduce((sum, { failed: count }) => sum + count, 0);
    if (atomic && (failed > 0 || result.stopped)) throw new ImportUndone(result);
    return result;
  };
  try {
    return await target.run(work, watcher);
  } catch (error) {
    if (!isStopRefusal(error, watcher)) throw error;
    return { counts: [], unreadable: 0, stopped: true };
  }
}

class ImportRun {
  readonly #source: Source;
  readonly #write: WriteBatch;
  readonly #watcher: ImportWatcher & BatchPace;
  readonly #total: number;
  #done = 0;

  constructor(source: Source, write: WriteBatch, watcher: ImportWatcher & BatchPace) {
    this.#source = source;
    this.#write = write;
    this.#watcher = watcher;
    this.#total = [...source.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  async all(): Promise<ImportResult> {
    let unreadable = 0;
    for await (const line of this.#source.bad()) {
      unreadable += 1;
      this.#watcher.failed(line);
    }
    const counts: KindCount[] = [];
    for (const kind of KIND_NAMES) {
      if ((this.#source.counts.get(kind) ?? 0) === 0) continue;
      const count: KindCount = { kind, created: 0, updated: 0, unchanged: 0, failed: 0 };
      counts.push(count);
      await this.#kind(kind, count);
      if (this.#watcher.stopped()) return { counts, unreadable, stopped: true };
    }
    return { counts, unreadable, stopped: false };
  }

  async #kind(kind: ResourceKind, count: KindCount): Promise<void> {
    const first = await this.#pass(this.#source.lines(kind), kind, count);
    const isRetried = first.length <= MAX_RETRIED;
    const refused = await retryRefusedItems(isRetried ? first : [], this.#watcher, (again) => {
      this.#done -= again.length;
      const lines = again.map(({ file, number, text }): Line => ({ file, number, text }));
      return this.#pass(lines, kind, count);
    });
    const left = isRetried ? refused : first;
    count.failed += left.length;
    for (const line of left) this.#watcher.failed(line);
  }

  /** Writes lines and returns the rejected ones. Reports unreadable lines immediately. */
  async #pass(
    lines: AsyncIterable<Line | BadLine> | Iterable<Line | BadLine>,
    kind: ResourceKind,
    count: KindCount,
  ): Promise<readonly BadLine[]> {
    const refused: BadLine[] = [];
    let reported = -1;
    const report = () => {
      reported = this.#done;
      this.#watcher.progress(this.#done, this.#total);
    };
    await runBatches(this.#readable(lines, count), this.#watcher, async (batch) => {
      refused.push(...(await this.#batch(kind, batch, count)));
      this.#done += batch.length;
      report();
    });
    if (reported !== this.#done && !this.#watcher.stopped()) report();
    return refused;
  }

  async *#readable(
    lines: AsyncIterable<Line | BadLine> | Iterable<Line | BadLine>,
    count: KindCount,
  ): AsyncGenerator<ReadLine> {
    for await (const line of lines) {
      const item = this.#read(line);
      if (item === undefined) count.failed += 1;
      else yield { line, item };
    }
  }

  /** Parses a line. Reports an unreadable line and returns undefined. */
  #read(line: Line | BadLine): LoadItem | undefined {
    let bad: BadLine;
    try {
      if (!isBadLine(line)) return parseLoadItem(line.text);
      bad = line;
    } catch (error) {
      bad = { ...line, ...parseReason(error as Error) };
    }
    this.#done += 1;
    this.#watcher.failed(bad);
    return undefined;
  }

  async #batch(kind: ResourceKind, batch: readonly ReadLine[], count: KindCount): Promise<readonly BadLine[]> {
    const refused: BadLine[] = [];
    const items = batch.map(({ item }) => item);
    for (const [index, written] of (await this.#written(kind, items)).entries()) {
      const read = batch[index];
      if (read === undefined) continue;
      const { file, number, text } = read.line;
      if ("reason" in written) refused.push({ file, number, text, ...written });
      else if (written.outcome === "CREATED") count.created += 1;
      else if (written.outcome === "UPDATED") count.updated += 1;
      else count.unchanged += 1;
    }
    return refused;
  }

  /** Writes items and returns their results; none if a signal cancelled the wait for another process. */
  async #written(kind: ResourceKind, items: readonly LoadItem[]): Promise<readonly ItemWriteResult[]> {
    try {
      return await this.#write(kind, items);
    } catch (error) {
      if (!isStopRefusal(error, this.#watcher)) throw error;
      return [];
    }
  }
}

/** Returns whether an error results from a stopped wait for the database. */
function isStopRefusal(error: unknown, { stopped }: WaitCallbacks): boolean {
  return stopped() && error instanceof OperationError;
}

/**
 * Extracts reason and field from a message of the proto JSON parser: `cannot decode message datacenter.v1.Rack from
 * JSON: key "colour" is unknown`.
 */
function parseReason({ message }: Error): { readonly reason: string; readonly field?: string } {
  const field = /\bkey "([^"]+)"/.exec(message)?.[1] ?? /\bfield [\w.]+\.(\w+)/.exec(message)?.[1];
  return { reason: message, ...(field !== undefined && { field }) };
}
