import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Document, isNode, LineCounter, parseDocument, visit } from "yaml";
import { type ReadTypeResult, readDeviceType } from "#dc/exchange/device_types/read_type.ts";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import type { WaitCallbacks } from "#dc/operations/import/run_import.ts";
import { searchDeviceTypes } from "#dc/operations/planning/search_inventory.ts";
import type { ExchangeSession } from "#dc/operations/writes/loads.ts";
import type { DcStore } from "#dc/ports.ts";
import { readPages } from "#dc/read_pages.ts";
import {
  type DeviceType as DeviceTypeMessage,
  DeviceTypeSchema,
  SearchDeviceTypesRequestSchema,
  type SearchDeviceTypesResponse,
} from "#gen/datacenter/v1/planning_pb.ts";
import { runBatches } from "#kernel/batches.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { type ImportState, limitLines, printImportEndNote, runStoppableImport } from "../../import/run_stoppable.ts";
import { print, printJson, sanitizeLine } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { type Column, printTable } from "../../output/table.ts";
import type { DatabaseLocation } from "../database.ts";
import { readUtf8 } from "../import/encoding.ts";
import { createWaitReporter, openImportService, retryWhileLocked, withImportStore } from "../import/import_store.ts";
import { createCommandCaller, printReplyJson, withService } from "../with_service.ts";

const BATCH_SIZE = 200;
/** Maximum size of a file in bytes; a usual device type has a few kilobytes. */
const MAX_FILE_BYTES = 4 << 20;
const COMMAND_CALLER = createCommandCaller("dc types import");

const TYPE_COLUMNS: readonly Column<DeviceTypeMessage>[] = [
  { title: "CODE", text: ({ code }) => code },
  { title: "MANUFACTURER", text: ({ manufacturer }) => manufacturer },
  { title: "MODEL", text: ({ model }) => model, shrinks: true },
  { title: "U", text: ({ uHeight = 1 }) => String(uHeight), align: "right" },
  { title: "PORTS", text: ({ ports }) => String(ports.length), align: "right" },
];

export interface ImportTypesOptions {
  readonly files: readonly string[];
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly cwd: string;
}

/** A problem with a device type's file. */
interface TypeFinding {
  readonly file: string;
  readonly line: number;
  readonly severity: "refused" | "note";
  readonly message: string;
}

interface TypeFile {
  readonly file: string;
  readonly type: DeviceType;
}

/** Imports device types. Returns status 1 if a file is rejected, 130 after Ctrl-C, which lets the batch finish. */
export async function importDeviceTypes(
  database: DatabaseLocation,
  options: ImportTypesOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  const findings: TypeFinding[] = [];
  const types = readTypes(options, findings);
  const waiting = createWaitReporter(log, options.json);
  const { json, dryRun } = options;
  return withImportStore(database, waiting, ({ store, close }) =>
    runStoppableImport(
      () => void close(),
      log,
      async (signal) => {
        const wait = { waiting, stopped: () => signal.aborted };
        const written = await writeTypes(store, types, { findings, wait, validateOnly: dryRun });
        const refused = findings.filter(({ severity }) => severity === "refused").length;
        const state = signal.aborted ? "stopped" : dryRun ? "tried" : "done";
        printTypeReport(findings, { ...written, refused }, { state, json }, log);
        return refused > 0 ? EXIT_STATUS.refused : EXIT_STATUS.ok;
      },
    ),
  );
}

export async function printDeviceTypes(
  database: DatabaseLocation,
  { words, json }: { readonly words: readonly string[]; readonly json: boolean },
): Promise<void> {
  const init = { query: words.join(" "), pageSize: MAX_PAGE_SIZE };
  const types = (page: SearchDeviceTypesResponse) => page.deviceTypes;
  const { deviceTypes } = await withService(database, (service) =>
    readPages(service, searchDeviceTypes, { schema: SearchDeviceTypesRequestSchema, init }, types),
  );
  if (json) for (const type of deviceTypes) printReplyJson(DeviceTypeSchema, type);
  else printTable(deviceTypes, TYPE_COLUMNS);
}

/** Parses the types of all files, each code once. Adds problems to `findings`. */
function readTypes({ files, cwd }: ImportTypesOptions, findings: TypeFinding[]): readonly TypeFile[] {
  const found = new Map<string, TypeFile>();
  for (const file of files.flatMap((one) => listYamlFiles(one, cwd))) {
    const { read, findLine } = readTypeFile(file, cwd);
    const addFinding = (severity: TypeFinding["severity"], path: readonly (string | number)[], message: string) =>
      findings.push({ file, line: findLine(path), severity, message });
    if ("problem" in read) {
      addFinding("refused", read.problem.path, formatProblem(read.problem));
      continue;
    }
    for (const one of read.notes) addFinding("note", one.path, formatProblem(one));
    const { code } = read.type;
    const twin = found.get(code);
    if (twin === undefined) found.set(code, { file, type: read.type });
    else addFinding("refused", ["slug"], `the code "${code}" is that of ${twin.file}`);
  }
  return [...found.values()];
}

function formatProblem({
  path,
  message,
}: {
  readonly path: readonly (string | number)[];
  readonly message: string;
}): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

function listYamlFiles(given: string, cwd: string): readonly string[] {
  const path = resolve(cwd, given);
  if (!existsSync(path)) throw new OperationError("not_found", `There is no file or folder "${given}"`);
  if (!statSync(path).isDirectory()) return [given];
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => /\.ya?ml$/i.test(name));
  if (files.length === 0) throw new OperationError("not_found", `There is no YAML file in "${given}"`);
  return files.toSorted().map((name) => join(given, name));
}

interface ParsedTypeFile {
  readonly read: ReadTypeResult;
  readonly findLine: (path: readonly (string | number)[]) => number;
}

function readTypeFile(file: string, cwd: string): ParsedTypeFile {
  const createProblem = (message: string, line = 1): ParsedTypeFile => ({
    read: { problem: { path: [], message } },
    findLine: () => line,
  });
  const path = resolve(cwd, file);
  try {
    if (statSync(path).size > MAX_FILE_BYTES) return createProblem(`expected at most ${MAX_FILE_BYTES} bytes`);
    const lines = new LineCounter();
    const document = parseDocument(readUtf8(path, file), { lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) return createProblem(error.message.split("\n")[0] ?? "", lines.linePos(error.pos[0]).line);
    keepLeadingZeros(document);
    const lineOf = (at: readonly (string | number)[]) => {
      for (let length = at.length; length >= 0; length -= 1) {
        const node = document.getIn(at.slice(0, length), true);
        if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
      }
      return 1;
    };
    return { read: readDeviceType(document.toJS({ maxAliasCount: 100 })), findLine: lineOf };
  } catch (error) {
    return createProblem((error as Error).message.split("\n")[0] ?? "");
  }
}

/** Converts numbers with leading zeros back to texts, because a port can be called 08. */
function keepLeadingZeros(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "number" && node.source !== undefined && /^0\d/.test(node.source))
        node.value = node.source;
    },
  });
}

interface TypeCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

interface WriteTypesOptions {
  readonly findings: TypeFinding[];
  readonly wait: WaitCallbacks;
  readonly validateOnly: boolean;
}

async function writeTypes(
  store: DcStore,
  types: readonly TypeFile[],
  { findings, wait, validateOnly }: WriteTypesOptions,
): Promise<TypeCounts> {
  const service = await openImportService(store, wait);
  const counts = { CREATED: 0, UPDATED: 0, UNCHANGED: 0 };
  await runBatches(types, { size: BATCH_SIZE, stopped: wait.stopped }, async (batch) => {
    const putTypes = async ({ putDeviceType }: ExchangeSession) => {
      const results: Awaited<ReturnType<typeof putDeviceType>>[] = [];
      for (const { type } of batch) results.push(await putDeviceType(type));
      return results;
    };
    const options = { validateOnly, requestId: randomUUID(), message: "" };
    const results = await retryWhileLocked(() => service.exchange(putTypes, COMMAND_CALLER, options), wait);
    for (const [index, result] of results.entries()) {
      const file = batch[index]?.file ?? "";
      if (typeof result === "string") counts[result] += 1;
      else findings.push({ file, line: 1, severity: "refused", message: result.message });
    }
  });
  return { created: counts.CREATED, updated: counts.UPDATED, unchanged: counts.UNCHANGED };
}

function printTypeReport(
  findings: readonly TypeFinding[],
  counts: TypeCounts & { readonly refused: number },
  { state, json }: { readonly state: ImportState; readonly json: boolean },
  log: StderrLogger,
): void {
  if (json) {
    for (const finding of findings) printJson({ event: "finding", ...finding });
    printJson({ event: "end", state, ...counts });
    return;
  }
  const line = ({ file, line: number, message }: TypeFinding) => `${file}:${number}: ${message}`;
  for (const finding of findings) if (finding.severity === "refused") log.warn(sanitizeLine(line(finding)));
  const notes = findings.filter(({ severity }) => severity === "note");
  const formatOmittedCount = (count: number) => `and ${count} more notes: --json prints all of them`;
  for (const note of limitLines(notes, line, formatOmittedCount)) log.note(note);
  const { created, updated, unchanged, refused } = counts;
  print(`${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused\n`);
  printImportEndNote(state, log);
}
