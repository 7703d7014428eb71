import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { MAX_SPEC_BYTES } from "#planner/limits.ts";
import { parseDocument } from "#planner/spec/document.ts";
import { parseSpecId, type SpecId, specIdParts } from "#planner/spec/spec_id.ts";
import { reason } from "#planner/store/files/disk_error.ts";
import { EXPORT_HEAD, EXPORTED_SPEC } from "./export_file.ts";

/** One thing to import: a text with the id that it keeps, or without one and then it gets a new id. */
export interface ImportItem {
  /** What reports call it: the file's name, or the id in an export. */
  readonly source: string;
  readonly id: SpecId | undefined;
  /** What other items call it in `depends_on`. */
  readonly name: string;
  readonly archived: boolean;
  readonly text: string;
}

/** Something that cannot be imported, and why. */
export interface ImportRefusal {
  readonly source: string;
  readonly reason: string;
}

export interface ImportBatch {
  readonly items: readonly ImportItem[];
  readonly refused: readonly ImportRefusal[];
}

/**
 * Reads what `path` holds: an export (`.json`), a Markdown file, or a folder of Markdown files.
 *
 * @throws OperationError when `path` cannot be read or is an export of another kind; a single bad item is no error
 */
export function readImport(path: string): ImportBatch {
  const there = readable(path, () => statSync(path));
  if (there.isDirectory()) return readFolder(path);
  return path.toLowerCase().endsWith(".json") ? readExport(path) : batch([path], (file) => markdownItem(file));
}

function readFolder(folder: string): ImportBatch {
  const names = readable(folder, () => readdirSync(folder)).filter((name) => /^[^.].*\.md$/i.test(name));
  if (names.length === 0) {
    throw new OperationError("not_found", `Cannot import "${folder}": expected Markdown files in it, found none`);
  }
  return batch(names.sort(), (name) => markdownItem(join(folder, name)));
}

function readExport(path: string): ImportBatch {
  const data = readable(path, () => JSON.parse(readFileSync(path, "utf8")) as unknown);
  if (!Value.Check(EXPORT_HEAD, data)) {
    throw new OperationError("invalid_argument", `Cannot import "${path}": expected what \`planner export\` writes`);
  }
  return batch(data.specs, exportItem);
}

function batch<Source>(sources: readonly Source[], read: (source: Source) => ImportItem | ImportRefusal): ImportBatch {
  const found = sources.map(read);
  return {
    items: found.filter((each) => "text" in each),
    refused: found.filter((each) => "reason" in each),
  };
}

function exportItem(value: unknown): ImportItem | ImportRefusal {
  const error = Value.Errors(EXPORTED_SPEC, value).First();
  if (error !== undefined || !Value.Check(EXPORTED_SPEC, value)) {
    const source = shownId(value);
    return { source, reason: `${error?.path.slice(1) || "spec"}: ${error?.message ?? "not a spec"}` };
  }
  const id = parseSpecId(value.id);
  if (id === undefined) return { source: value.id, reason: "no file could have this id as its name" };
  // A file's name would carry it into every listing of the folder.
  if (/\p{Cc}/u.test(id)) return { source: value.id, reason: "its id holds a control character: expected none" };
  const text = value.frontmatter_text + value.body;
  return checked({ source: value.id, id, name: value.id, archived: value.archived, text });
}

function markdownItem(path: string): ImportItem | ImportRefusal {
  const source = basename(path);
  const name = source.slice(0, -".md".length);
  try {
    if (statSync(path).size > MAX_SPEC_BYTES) return { source, reason: `larger than ${MAX_SPEC_BYTES} bytes` };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    const id = specIdParts(name) === undefined ? undefined : parseSpecId(name);
    return checked({ source, id, name, archived: false, text });
  } catch (error) {
    return { source, reason: error instanceof TypeError ? "not valid UTF-8" : reason(error) };
  }
}

function checked(item: ImportItem): ImportItem | ImportRefusal {
  const document = parseDocument(item.text);
  if (!document.ok) {
    const { line, column, message } = document.problem;
    return { source: item.source, reason: `line ${line}, column ${column}: ${message}` };
  }
  return document.hasFrontmatter ? item : { source: item.source, reason: "no frontmatter" };
}

function shownId(value: unknown): string {
  const id = isJsonObject(value) ? value["id"] : undefined;
  return typeof id === "string" && id !== "" ? id : "spec without an id";
}

function readable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new OperationError("not_found", `Cannot import "${path}": ${reason(error)}`, { cause: error });
  }
}
