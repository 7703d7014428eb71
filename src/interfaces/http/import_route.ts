import { randomUUID } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Caller } from "#dc/context.ts";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import {
  type FileRow,
  type FileRows,
  openFileRows,
  readJsonRows,
  readSheetRows,
  type SheetMapping,
} from "#dc/operations/import/file_rows.ts";
import {
  type BadLine,
  createBatchWriter,
  getLineSubject,
  type ImportTarget,
  runImport,
} from "#dc/operations/import/run_import.ts";
import { readSheet } from "#dc/operations/import/sheet.ts";
import { IMPORT_KINDS, type ImportEvent, type LineSubject } from "#dc/operations/import/wire.ts";
import type { DcService } from "#dc/service.ts";
import { OperationError, shortenText } from "#kernel/errors.ts";
import { getMediaType } from "../connect/call_headers.ts";
import { convertToConnectError } from "../connect/errors.ts";

/** Memory of an import per byte of its file: cells or JSON, resources and events. Our choice: not measured. */
export const IMPORT_COPIES = 8;
/** Maximum number of rows. Our choice: a dry run holds them all in memory, which takes some 10 KiB for each. */
const MAX_ROWS = 50_000;
/** Number of resources in one transaction: few, so that other writes wait for milliseconds and progress is shown. */
const BATCH_SIZE = 200;

/** Media types of files, by whether they are sheets. */
const SHEET_TYPE = "text/csv";
const JSON_TYPES: readonly string[] = ["application/json", "application/x-ndjson"];
export const IMPORT_TYPES = [SHEET_TYPE, ...JSON_TYPES];

/** What the address of an import says. */
interface ImportParameters extends Partial<SheetMapping> {
  readonly isDryRun: boolean;
}

export const IMPORT_PARAMETERS = ["kind", "column", "default", "decimal", "dry_run"];

/** Reads the parameters of an import's address. @throws Refusal that names the parameter */
export function readImportParameters(queries: Readonly<Record<string, readonly string[]>>): ImportParameters {
  const unknown = Object.keys(queries).find((name) => !IMPORT_PARAMETERS.includes(name));
  if (unknown !== undefined) {
    const expected = IMPORT_PARAMETERS.join(", ");
    const message = `Unknown parameter "${shortenText(unknown)}": expected ${expected}`;
    throw refuse("UNKNOWN_FIELD", message, { field: unknown, expected });
  }
  const kind = readChoice(queries, "kind", IMPORT_KINDS);
  const defaults = (queries["default"] ?? []).map((text) => {
    const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? throwWrong("default", text, "<field>=<value>");
    return [path ?? "", value ?? ""] as const;
  });
  return {
    ...(kind !== undefined && { kind }),
    ...(queries["column"] !== undefined && { columns: queries["column"] }),
    defaults: Object.fromEntries(defaults),
    decimal: readChoice(queries, "decimal", [".", ","]),
    isDryRun: readChoice(queries, "dry_run", ["true", "false"]) === "true",
  };
}

function readChoice<Choice extends string>(
  queries: Readonly<Record<string, readonly string[]>>,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const [value, ...more] = queries[name] ?? [];
  if (more.length > 0) throwWrong(name, more[0] ?? "", "it once");
  if (value === undefined) return undefined;
  return choices.find((one) => one === value) ?? throwWrong(name, value, choices.join(" or "));
}

function throwWrong(field: string, value: string, expected: string): never {
  const message = `Cannot read parameter ${field}="${shortenText(value)}": expected ${expected}`;
  throw refuse("FIELD_OUT_OF_RANGE", message, { field, value, expected });
}

/** Whether a file of a media type is a sheet; undefined for a type that is not imported. */
export function findIsSheet(contentType: string | undefined): boolean | undefined {
  const type = getMediaType(contentType);
  return type === SHEET_TYPE ? true : JSON_TYPES.includes(type) ? false : undefined;
}

/** An import whose file was read: the events of its reply. */
type ImportEvents = (report: (event: ImportEvent) => void, stopped: AbortSignal) => Promise<void>;

interface ImportRequest extends ImportParameters {
  readonly file: Buffer;
  readonly isSheet: boolean;
  readonly service: DcService;
  readonly caller: Caller;
  readonly scheduler: CooperativeScheduler;
}

/**
 * Reads a file for an import, which the returned function runs. A dry run of a sheet without a kind describes the sheet.
 * @throws OperationError for a file that cannot be read, and for wrong parameters
 */
export async function openImport(request: ImportRequest): Promise<ImportEvents> {
  const { kind, columns, defaults = {}, decimal, isDryRun, isSheet, scheduler } = request;
  let file: FileRows;
  if (isSheet) {
    const sheet = await readSheet(request.file, scheduler);
    const { delimiter, headings, rows } = sheet;
    if (kind === undefined && isDryRun)
      return async (report) =>
        report({ event: "sheet", delimiter, headings, first: rows[0]?.cells ?? [], rows: rows.length });
    if (kind === undefined) {
      const expected = IMPORT_KINDS.join(", ");
      const message = `Parameter "kind" is required for a sheet that is written: expected ${expected}`;
      throw refuse("REQUIRED_FIELD", message, { field: "kind", expected });
    }
    file = await readSheetRows(sheet, { kind, columns: columns ?? headings, defaults, decimal }, scheduler);
  } else file = await readJsonRows(request.file, scheduler);
  const count = file.rows.length;
  if (count <= MAX_ROWS) return (report, signal) => runFileImport(file, request, { report, signal });
  const expected = `at most ${MAX_ROWS} rows; planner dc import takes more`;
  throw refuse("BATCH_TOO_LARGE", `The file has ${count} rows: expected ${expected}`, { value: count, expected });
}

interface RunningImport {
  readonly report: (event: ImportEvent) => void;
  readonly signal: AbortSignal;
}

async function runFileImport(file: FileRows, request: ImportRequest, { report, signal }: RunningImport): Promise<void> {
  const rowsByPlace = new Map(file.rows.map((row) => [`${row.kind} ${row.line}`, row]));
  const refused = new Set<FileRow>();
  const { counts, unreadable, stopped } = await runImport(openFileRows(file), createServiceTarget(request, signal), {
    atomic: false,
    reportProgress: (done, total) => report({ event: "progress", done, total }),
    waiting: () => {},
    reportWritten: (kind, line, outcome) => report({ event: "written", line, kind, outcome }),
    reportFailure: (bad) => {
      const subject = getLineSubject(bad);
      const row = rowsByPlace.get(`${subject.kind} ${bad.number}`);
      if (row !== undefined) refused.add(row);
      report(describeRefusal(bad, subject, row));
    },
    stopped: () => signal.aborted,
  });
  const accepted = file.rows.filter((row) => !refused.has(row));
  const { isDryRun } = request;
  const state = stopped ? "stopped" : isDryRun ? "tried" : "done";
  report({ event: "end", state, counts, unreadable, ...(isDryRun && { changes: listFirstChanges(accepted) }) });
}

/** Returns accepted rows as the changes of one call that previews them. */
function listFirstChanges(rows: readonly FileRow[]): readonly JsonObject[] {
  const order = (row: FileRow) => IMPORT_KINDS.indexOf(row.kind);
  const sorted = rows.toSorted((a, b) => order(a) - order(b)).slice(0, MAX_BATCH_ITEMS);
  return sorted.map(({ kind, resource }) => ({ [kind]: resource }));
}

function describeRefusal(bad: BadLine, subject: LineSubject, row: FileRow | undefined): ImportEvent {
  const { number, field = "", reason, problems = [{ field, message: reason }] } = bad;
  const item = row?.place ?? (row === undefined ? {} : { item: row.resource });
  return { event: "refused", line: number, ...subject, problems, ...item };
}

/** Creates a target that writes with the rights of the caller, one transaction per batch, or tries all in one draft. */
function createServiceTarget({ service, caller, isDryRun }: ImportRequest, signal: AbortSignal): ImportTarget {
  const options = { validateOnly: false, requestId: randomUUID(), message: "" };
  return {
    batchSize: BATCH_SIZE,
    run: (work) =>
      isDryRun
        ? service.tryLoad((load) => work(createBatchWriter(load)), caller, signal)
        : work((kind, items) => service.load((load) => createBatchWriter(load)(kind, items), caller, options)),
    interrupt: () => {},
  };
}

/** Returns the events of an import as JSON lines, as they happen. Once the caller leaves, the import stops. */
export function createImportResponse(
  run: ImportEvents,
  { ended, reportDefect }: { readonly ended: AbortSignal; readonly reportDefect: (error: unknown) => void },
): Response {
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ended]);
  const encoder = new TextEncoder();
  const describeError = (error: unknown): ImportEvent => {
    if (signal.aborted && !(error instanceof OperationError))
      return { event: "error", code: "unavailable", message: "The server is shutting down" };
    const { code, rawMessage } = convertToConnectError(error, reportDefect);
    return { event: "error", code: codeToString(code), message: rawMessage };
  };
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const report = (event: ImportEvent) => {
        if (!left.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
      };
      await run(report, signal).catch((error: unknown) => report(describeError(error)));
      if (!left.signal.aborted) controller.close();
    },
    cancel: () => left.abort(),
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson", "x-accel-buffering": "no" } });
}
