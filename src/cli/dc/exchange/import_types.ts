import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Document, isNode, LineCounter, parseDocument, visit } from "yaml";
import { type ReadType, readDeviceType } from "#dc/exchange/device_types/read_type.ts";
import type { DeviceType } from "#dc/model/device_type.ts";
import { openService } from "#dc/open_service.ts";
import type { DcService } from "#dc/service.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { plainLine } from "../../output/plain_text.ts";
import { print, printJson } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { commandCaller } from "../command_caller.ts";
import type { Database } from "../database.ts";
import { readUtf8 } from "../import/encoding.ts";
import { withImportStore } from "../import/import_store.ts";
import { inTurn, WAITING } from "../import/turn.ts";

const BATCH = 200;
/** Files of the library have a few kilobytes. */
const MAX_BYTES = 4 << 20;
const CALLER = commandCaller("dc types import");
const MOST_SHOWN = 20;

export interface ImportTypesOptions {
  readonly files: readonly string[];
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly cwd: string;
}

/** Something about a file of the library. */
interface Finding {
  readonly file: string;
  readonly line: number;
  readonly severity: "refused" | "note";
  readonly message: string;
}

interface Found {
  readonly file: string;
  readonly type: DeviceType;
}

/** Imports types of devices. Status 1 if a file was refused. */
export async function importTypes(
  database: Database,
  options: ImportTypesOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  const findings: Finding[] = [];
  const found: Found[] = [];
  const byCode = new Map<string, string>();
  for (const file of options.files.flatMap((one) => yamlFiles(one, options.cwd))) {
    const { read, lineOf } = readFile(file, options.cwd);
    if ("problem" in read) {
      findings.push({ file, line: lineOf(read.problem.path), severity: "refused", message: problemText(read.problem) });
      continue;
    }
    for (const note of read.notes)
      findings.push({ file, line: lineOf(note.path), severity: "note", message: problemText(note) });
    const twin = byCode.get(read.type.code);
    if (twin === undefined) found.push({ file, type: read.type });
    else
      findings.push({
        file,
        line: lineOf(["slug"]),
        severity: "refused",
        message: `the code "${read.type.code}" is that of ${twin}`,
      });
    byCode.set(read.type.code, twin ?? file);
  }
  const waiting = () => (options.json ? printJson({ event: "waiting" }) : log.note(WAITING));
  const counts = await write(database, { found, dryRun: options.dryRun, findings, waiting });
  report(
    findings,
    { ...counts, refused: findings.filter(({ severity }) => severity === "refused").length },
    options,
    log,
  );
  return findings.some(({ severity }) => severity === "refused") ? EXIT_STATUS.refused : EXIT_STATUS.ok;
}

function problemText({
  path,
  message,
}: {
  readonly path: readonly (string | number)[];
  readonly message: string;
}): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

function yamlFiles(given: string, cwd: string): readonly string[] {
  const path = resolve(cwd, given);
  if (!existsSync(path)) throw new OperationError("not_found", `There is no file or folder "${given}"`);
  if (!statSync(path).isDirectory()) return [given];
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => /\.ya?ml$/i.test(name));
  if (files.length === 0) throw new OperationError("not_found", `There is no YAML file in "${given}"`);
  return files.toSorted().map((name) => join(given, name));
}

interface FileRead {
  readonly read: ReadType;
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

function readFile(file: string, cwd: string): FileRead {
  const refused = (message: string, line = 1): FileRead => ({
    read: { problem: { path: [], message } },
    lineOf: () => line,
  });
  const path = resolve(cwd, file);
  try {
    if (statSync(path).size > MAX_BYTES) return refused(`expected at most ${MAX_BYTES} bytes`);
    const lines = new LineCounter();
    const document = parseDocument(readUtf8(path, file), { lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) return refused(error.message.split("\n")[0] ?? "", lines.linePos(error.pos[0]).line);
    keepLeadingZeros(document);
    const lineOf = (at: readonly (string | number)[]) => {
      for (let length = at.length; length >= 0; length -= 1) {
        const node = document.getIn(at.slice(0, length), true);
        if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
      }
      return 1;
    };
    return { read: readDeviceType(document.toJS({ maxAliasCount: 100 })), lineOf };
  } catch (error) {
    return refused((error as Error).message.split("\n")[0] ?? "");
  }
}

/** A port called 08 keeps its zero, which a number would lose. */
function keepLeadingZeros(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "number" && node.source !== undefined && /^0\d/.test(node.source))
        node.value = node.source;
    },
  });
}

type Outcome = "CREATED" | "UPDATED" | "UNCHANGED";

interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

interface Writing {
  readonly found: readonly Found[];
  readonly dryRun: boolean;
  readonly findings: Finding[];
  /** Called after every 10 s of waiting for another process that writes. */
  readonly waiting: () => void;
}

async function write(database: Database, { found, dryRun, findings, waiting }: Writing): Promise<Counts> {
  const wait = { waiting, stopped: () => false };
  return withImportStore(database, waiting, async ({ store }) => {
    const opening = { clock: { now: () => new Date() }, authRequired: false };
    const service = await inTurn(() => openService(store, opening), wait);
    const counts: Record<Outcome, number> = { CREATED: 0, UPDATED: 0, UNCHANGED: 0 };
    for (let at = 0; at < found.length; at += BATCH) {
      const batch = found.slice(at, at + BATCH);
      for (const [index, result] of (await inTurn(() => putTypes(service, batch, dryRun), wait)).entries()) {
        const file = found[at + index]?.file ?? "";
        if (typeof result === "string") counts[result] += 1;
        else findings.push({ file, line: 1, severity: "refused", message: result.message });
      }
    }
    return { created: counts.CREATED, updated: counts.UPDATED, unchanged: counts.UNCHANGED };
  });
}

function putTypes(
  service: DcService,
  found: readonly Found[],
  validateOnly: boolean,
): Promise<readonly (Outcome | OperationError)[]> {
  return service.exchange(
    async ({ putDeviceType }) => {
      const results: (Outcome | OperationError)[] = [];
      for (const { type } of found) results.push(await putDeviceType(type));
      return results;
    },
    CALLER,
    { validateOnly, requestId: randomUUID(), message: "" },
  );
}

function report(
  findings: readonly Finding[],
  counts: Counts & { readonly refused: number },
  { json, dryRun }: ImportTypesOptions,
  log: StderrLogger,
): void {
  if (json) {
    for (const finding of findings) printJson({ event: "finding", ...finding });
    printJson({ event: "end", state: dryRun ? "tried" : "done", ...counts });
    return;
  }
  const refused = findings.filter(({ severity }) => severity === "refused");
  const notes = findings.filter(({ severity }) => severity === "note");
  for (const { file, line, message } of refused) log.warn(plainLine(`${file}:${line}: ${message}`));
  for (const { file, line, message } of notes.slice(0, MOST_SHOWN)) log.note(plainLine(`${file}:${line}: ${message}`));
  if (notes.length > MOST_SHOWN) log.note(`and ${notes.length - MOST_SHOWN} more notes: --json prints all of them`);
  const { created, updated, unchanged } = counts;
  print(`${created} created, ${updated} updated, ${unchanged} unchanged, ${refused.length} refused\n`);
  if (dryRun) log.note("Nothing was written: this was a dry run");
}
