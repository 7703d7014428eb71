import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { type BatchOptions, retryRefusedItems, runBatches } from "#kernel/batches.ts";
import { OperationError } from "#kernel/errors.ts";
import { getJsonFields, isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import { convertPlainJson } from "../messages/model_json.ts";
import { RESOURCE_SCHEMAS } from "../writes/changes.ts";
import type { LoadBatch, LoadItem } from "../writes/loads.ts";
import { type FieldProblem, IMPORT_KINDS, type KindCount, type LineSubject, type WrittenOutcome } from "./wire.ts";

/** Kinds of resources, each with the name of its list. */
export const KINDS = IMPORT_KINDS.map((kind) => ({ kind, list: `${kind}s` as const }));

/** Returns the kind with this name or list name; undefined for any other word. */
export function findKind(word: string): ResourceKind | undefined {
  return KINDS.find(({ kind, list }) => kind === word || list === word)?.kind;
}

/** Converts the resource of a line to an item of a bulk load. @throws Error that describes the problem. */
function convertToLoadItem(item: ResourceLine["item"]): LoadItem {
  const { kind, json } = typeof item === "string" ? parseResourceJson(item) : item;
  const resource = convertPlainJson<ResourceByKind[ResourceKind]>(RESOURCE_SCHEMAS[kind], json);
  return resource === undefined ? { message: fromJson(RESOURCE_SCHEMAS[kind], json) } : { resource };
}

/** Parses a JSON line, `{"rack": {…}}`, as its kind and the JSON of its resource. @throws Error that describes the problem. */
export function parseResourceJson(text: string): ResourceJson {
  const value: unknown = JSON.parse(text);
  const [key, ...more] = isJsonObject(value) ? Object.keys(value) : [];
  const kind = IMPORT_KINDS.find((one) => one === key);
  if (kind === undefined || more.length > 0) {
    throw new Error(`expected one of ${IMPORT_KINDS.map((one) => `{"${one}": …}`).join(", ")}`);
  }
  return { kind, json: (value as Readonly<Record<string, JsonValue>>)[kind] ?? null };
}

/** Callbacks of a wait for another process. */
export interface WaitCallbacks {
  /** Called after every 10 s of waiting. */
  readonly waiting: () => void;
  /** Returns whether to stop after the current attempt or batch. */
  readonly stopped: () => boolean;
}

interface ImportWatcher extends WaitCallbacks {
  /** Called after each batch with the number of processed items and the total. */
  readonly reportProgress: (done: number, total: number) => void;
  readonly reportFailure: (line: BadLine) => void;
  readonly reportWritten?: (kind: ResourceKind, line: number, outcome: WrittenOutcome) => void;
}

interface ParsedLine {
  readonly line: ResourceLine;
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
  source: ImportSource,
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
    if (!isStopError(error, watcher)) throw error;
    return { counts: [], unreadable: 0, stopped: true };
  }
}

class ImportRun {
  readonly #source: ImportSource;
  readonly #write: WriteBatch;
  readonly #watcher: ImportWatcher & BatchOptions;
  readonly #total: number;
  #done = 0;

  constructor(source: ImportSource, write: WriteBatch, watcher: ImportWatcher & BatchOptions) {
    this.#source = source;
    this.#write = write;
    this.#watcher = watcher;
    this.#total = [...source.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  async all(): Promise<ImportResult> {
    let unreadable = 0;
    for await (const line of this.#source.readBadLines()) {
      unreadable += 1;
      this.#watcher.reportFailure(line);
    }
    const counts: KindCount[] = [];
    for (const kind of IMPORT_KINDS) {
      if ((this.#source.counts.get(kind) ?? 0) === 0) continue;
      const count: KindCount = { kind, created: 0, updated: 0, unchanged: 0, failed: 0 };
      counts.push(count);
      await this.#importKind(kind, count);
      if (this.#watcher.stopped()) return { counts, unreadable, stopped: true };
    }
    return { counts, unreadable, stopped: false };
  }

  async #importKind(kind: ResourceKind, count: KindCount): Promise<void> {
    const first = await this.#writeLines(this.#source.readLines(kind), kind, count);
    const isRetried = first.length <= MAX_RETRIED;
    const refused = await retryRefusedItems(isRetried ? first : [], this.#watcher, (again) => {
      this.#done -= again.length;
      const lines = again.map(({ file, number, item }): ResourceLine => ({ file, number, item }));
      return this.#writeLines(lines, kind, count);
    });
    const left = isRetried ? refused : first;
    count.failed += left.length;
    for (const line of left) this.#watcher.reportFailure(line);
  }

  /** Writes lines and returns the rejected ones. Reports unreadable lines immediately. */
  async #writeLines(
    lines: AsyncIterable<ResourceLine | BadLine> | Iterable<ResourceLine | BadLine>,
    kind: ResourceKind,
    count: KindCount,
  ): Promise<readonly BadLine[]> {
    const refused: BadLine[] = [];
    let reported = -1;
    const report = () => {
      reported = this.#done;
      this.#watcher.reportProgress(this.#done, this.#total);
    };
    await runBatches(this.#parseLines(lines, count), this.#watcher, async (batch) => {
      refused.push(...(await this.#writeBatch(kind, batch, count)));
      this.#done += batch.length;
      report();
    });
    if (reported !== this.#done && !this.#watcher.stopped()) report();
    return refused;
  }

  async *#parseLines(
    lines: AsyncIterable<ResourceLine | BadLine> | Iterable<ResourceLine | BadLine>,
    count: KindCount,
  ): AsyncGenerator<ParsedLine> {
    for await (const line of lines) {
      const item = this.#parseLine(line);
      if (item === undefined) count.failed += 1;
      else yield { line, item };
    }
  }

  /** Parses a line. Reports an unreadable line and returns undefined. */
  #parseLine(line: ResourceLine | BadLine): LoadItem | undefined {
    let bad: BadLine;
    try {
      if (!isBadLine(line)) return convertToLoadItem(line.item);
      bad = line;
    } catch (error) {
      bad = { ...line, ...parseReason(error as Error) };
    }
    this.#done += 1;
    this.#watcher.reportFailure(bad);
    return undefined;
  }

  async #writeBatch(kind: ResourceKind, batch: readonly ParsedLine[], count: KindCount): Promise<readonly BadLine[]> {
    const refused: BadLine[] = [];
    const items = batch.map(({ item }) => item);
    for (const [index, written] of (await this.#writeItems(kind, items)).entries()) {
      const read = batch[index];
      if (read === undefined) continue;
      if ("reason" in written) {
        refused.push({ ...read.line, ...written });
        continue;
      }
      this.#watcher.reportWritten?.(kind, read.line.number, written.outcome);
      if (written.outcome === "CREATED") count.created += 1;
      else if (written.outcome === "UPDATED") count.updated += 1;
      else count.unchanged += 1;
    }
    return refused;
  }

  /** Writes items and returns their results; none if a signal cancelled the wait for another process. */
  async #writeItems(kind: ResourceKind, items: readonly LoadItem[]): Promise<readonly ItemWriteResult[]> {
    try {
      return await this.#write(kind, items);
    } catch (error) {
      if (!isStopError(error, this.#watcher)) throw error;
      return [];
    }
  }
}

/** Returns whether an error results from a stopped wait for the database. */
function isStopError(error: unknown, { stopped }: WaitCallbacks): boolean {
  return stopped() && error instanceof OperationError;
}

/** Extracts reason and field from an error of the proto JSON parser, such as `key "colour" is unknown`. */
function parseReason({ message }: Error): { readonly reason: string; readonly field?: string } {
  const field = /\bkey "([^"]+)"/.exec(message)?.[1] ?? /\bfield [\w.]+\.(\w+)/.exec(message)?.[1];
  return { reason: message, ...(field !== undefined && { field }) };
}

export type ItemWriteResult =
  | { readonly outcome: WrittenOutcome }
  | {
      readonly reason: string;
      readonly field?: string;
      /** Every problem; absent if `reason` is the only one. */
      readonly problems?: readonly FieldProblem[];
    };

/** Writes resources of one kind and returns the results in the same order. */
export type WriteBatch = (kind: ResourceKind, items: readonly LoadItem[]) => Promise<readonly ItemWriteResult[]>;

export interface ImportTarget {
  /** Number of resources in one batch. */
  readonly batchSize: number;
  /** Runs an import: each batch in its own transaction, or all in one that is rolled back if `work` throws. */
  run<Result>(work: (write: WriteBatch) => Promise<Result>, wait: WaitCallbacks): Promise<Result>;
  /** Cancels waits for other processes: waiting writes fail, started writes finish. */
  readonly interrupt: () => void;
}

/** Creates the function that writes batches of an import by a load. */
export function createBatchWriter(load: LoadBatch): WriteBatch {
  return async (kind, items) =>
    (await load(kind, items)).map((one) =>
      "error" in one ? convertToWriteResult(one.error) : { outcome: one.outcome },
    );
}

function convertToWriteResult(error: OperationError): ItemWriteResult {
  const problems = error instanceof Refusal ? error.violations.map(({ field, message }) => ({ field, message })) : [];
  const field = problems[0]?.field ?? "";
  return { reason: error.message, problems, ...(field !== "" && { field }) };
}

/** A resource as JSON, which is not checked yet. */
export interface ResourceJson {
  readonly kind: ResourceKind;
  readonly json: JsonValue;
}

/** One resource of a file, with the number of its line, record or item. */
export interface ResourceLine {
  /** Name of the file as given. */
  readonly file: string;
  readonly number: number;
  /** The resource: a text such as `{"rack": {…}}`, or its parsed JSON. */
  readonly item: string | ResourceJson;
}

/** A line that cannot be read or is rejected, and the reason. */
export interface BadLine extends ResourceLine {
  readonly reason: string;
  readonly field?: string;
  /** Every problem; absent if `reason` is the only one. */
  readonly problems?: readonly FieldProblem[];
  /** Kind and code of the resource, if the line's item does not contain them. */
  readonly subject?: LineSubject;
}

/** Lines of an import, which are read kind by kind. */
export interface ImportSource {
  readonly counts: ReadonlyMap<ResourceKind, number>;
  /** Reads the lines that have no kind. */
  readBadLines(): AsyncIterable<BadLine> | Iterable<BadLine>;
  readLines(kind: ResourceKind): AsyncIterable<ResourceLine | BadLine> | Iterable<ResourceLine | BadLine>;
  close(): void;
}

function isBadLine(line: ResourceLine | BadLine): line is BadLine {
  return "reason" in line;
}

export function joinSources(sources: readonly ImportSource[]): ImportSource {
  const counts = new Map<ResourceKind, number>();
  for (const source of sources) {
    for (const [kind, count] of source.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return {
    counts,
    async *readBadLines() {
      for (const source of sources) yield* source.readBadLines();
    },
    async *readLines(kind) {
      for (const source of sources) yield* source.readLines(kind);
    },
    close() {
      for (const source of sources) source.close();
    },
  };
}

/** Returns kind and code of a rejected line's resource, if they can be read. */
export function getLineSubject({ subject, item }: BadLine): LineSubject {
  if (subject !== undefined) return subject;
  const fields = typeof item === "string" ? getJsonFields(tryParseJson(item)) : { [item.kind]: item.json };
  const kind = IMPORT_KINDS.find((name) => Object.hasOwn(fields, name));
  if (kind === undefined) return {};
  const resource = getJsonFields(fields[kind]);
  const ends = [resource["a"], resource["b"]].map(formatLinkEnd);
  const code = typeof resource["code"] === "string" ? resource["code"] : ends.includes("") ? "" : ends.join("~");
  return { kind, ...(code !== "" && { code }) };
}

function formatLinkEnd(end: unknown): string {
  const fields = getJsonFields(end);
  const device = fields["device_code"] ?? fields["deviceCode"];
  const port = fields["port_name"] ?? fields["portName"];
  return typeof device === "string" && typeof port === "string" ? `${device}/${port}` : "";
}
