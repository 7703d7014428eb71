import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { PlannerContext } from "#planner/context.ts";
import { MAX_SPEC_BYTES } from "#planner/limits.ts";
import { saysElsewhere } from "#planner/lint/rules/fields.ts";
import { formatLocalDay } from "#planner/operations/shared/live_worker.ts";
import { describeNearItems } from "#planner/spec/criteria.ts";
import { parseDocument } from "#planner/spec/document.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { findTitle } from "#planner/spec/sections.ts";
import { parseSpecId, parseSpecIdParts, type SpecId } from "#planner/spec/spec_id.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import type { OpenedProject } from "../open_project.ts";
import { createFile } from "../output/write_file.ts";
import { EXPORT_HEADER, EXPORTED_SPEC } from "./export_file.ts";
import { wrapImportErrors } from "./source/read_source.ts";

export interface SpecImportReport {
  readonly imported: readonly { readonly source: string; readonly id: SpecId | null }[];
  /** Specs whose id the project already has; they stay unchanged. */
  readonly existing: readonly { readonly source: string; readonly id: SpecId }[];
  readonly refused: readonly ImportRefusal[];
  /** What of an imported spec planner does not read; absent without any. */
  readonly notes?: readonly ImportRefusal[];
}

/**
 * Writes the items into the project without replacing a spec. An item whose name is not a spec id gets a new id, and
 * dependencies on its old name are changed to the new id.
 * @param dryRun true to only report the result; new ids are then null
 */
export async function importSpecs(
  project: OpenedProject,
  batch: ImportBatch,
  dryRun: boolean,
): Promise<SpecImportReport> {
  const { context } = project;
  const taken = new Set<string>([...(await context.specs.listIds()), ...(await context.specs.listArchivedIds())]);
  const imported: ImportedItem[] = [];
  const existing: { source: string; id: SpecId }[] = [];
  for (const item of batch.items) {
    const { source, name, id } = item;
    const written = await importItem(project, item, { taken, dryRun });
    if (written !== "exists") imported.push({ source, name, id: written });
    else if (id !== undefined) existing.push({ source, id });
    // If an export names an id twice, the first item is imported.
    if (id !== undefined) taken.add(id);
  }
  await replaceDependencyNames(context, imported);
  const sources = new Set(imported.map(({ source }) => source));
  const notes = batch.items.filter(({ source }) => sources.has(source)).flatMap(describeUnreadParts);
  return {
    ...{ imported: imported.map(({ source, id }) => ({ source, id })), existing, refused: batch.refused },
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function describeUnreadParts({ source, text }: ImportItem): readonly ImportRefusal[] {
  const document = parseDocument(text);
  const reason = document.ok ? describeNearItems(document) : null;
  return reason === null ? [] : [{ source, reason }];
}

interface ImportedItem {
  readonly source: string;
  readonly name: string;
  readonly id: SpecId | null;
}

async function importItem(
  { context, root }: OpenedProject,
  item: ImportItem,
  { taken, dryRun }: { readonly taken: ReadonlySet<string>; readonly dryRun: boolean },
): Promise<SpecId | null | "exists"> {
  const { id } = item;
  if (id !== undefined && taken.has(id)) return "exists";
  if (dryRun) return id ?? null;
  if (id === undefined) return createSpecWithNewId(context, item);
  return createSpecWithId(root, item, id) ? id : "exists";
}

/** Writes the unchanged text under its own id. Returns false if a spec with that id was created meanwhile. */
function createSpecWithId(root: string, { archived, text }: ImportItem, id: SpecId): boolean {
  const day = parseSpecIdParts(id)?.day;
  const archive = day === undefined ? "archive" : join("archive", day);
  return createFile(join(root, ".planner", archived ? archive : "specs", `${id}.md`), text);
}

function createSpecWithNewId(context: PlannerContext, { name, text }: ImportItem): Promise<SpecId> {
  const document = parseDocument(text);
  const read = document.ok ? document : { frontmatter: {} as Record<string, unknown>, body: "" };
  const { frontmatter, body } = read;
  const untitled = findTitle(body) === null && typeof frontmatter["title"] !== "string";
  return context.specs.create(formatLocalDay(context.clock.now()), (id) =>
    editFields(text, {
      id,
      ...(frontmatter["status"] === undefined && !saysElsewhere(read, "status") ? { status: "pending" } : {}),
      ...(untitled ? { title: name } : {}),
    }),
  );
}

async function replaceDependencyNames(context: PlannerContext, imported: readonly ImportedItem[]): Promise<void> {
  const renamed = new Map(
    imported.filter(({ id, name }) => id !== null && id !== name).map(({ id, name }) => [name, id]),
  );
  if (renamed.size === 0) return;
  for (const { id } of imported) {
    if (id === null) continue;
    const { dependsOn, archived } = await context.specs.load(id);
    if (archived || !dependsOn.some((each) => renamed.has(each))) continue;
    const depends_on = dependsOn.map((each) => renamed.get(each) ?? each);
    await context.specs.edit(id, (text) => editFields(text, { depends_on }));
  }
}

/** A text to import, with the id that it keeps; a text without an id gets a new one. */
interface ImportItem {
  /** Name in reports: the file's name, or the id in an export. */
  readonly source: string;
  readonly id: SpecId | undefined;
  /** Name by which other items refer to this item in `depends_on`. */
  readonly name: string;
  readonly archived: boolean;
  readonly text: string;
}

/** An item that cannot be imported, and the reason. */
interface ImportRefusal {
  readonly source: string;
  readonly reason: string;
}

interface ImportBatch {
  readonly items: readonly ImportItem[];
  readonly refused: readonly ImportRefusal[];
}

/**
 * Reads the items of `path`: an export (`.json`), a Markdown file, or a folder of Markdown files.
 * @throws OperationError if `path` cannot be read or is an export of another kind; a single invalid item is not an
 * error
 */
export function readImportBatch(path: string): ImportBatch {
  if (wrapImportErrors(path, () => statSync(path)).isDirectory()) return readMarkdownFolder(path);
  return path.toLowerCase().endsWith(".json")
    ? readExport(path)
    : createImportBatch([path], (file) => readMarkdownItem(file));
}

function readMarkdownFolder(folder: string): ImportBatch {
  const names = wrapImportErrors(folder, () => readdirSync(folder)).filter((name) => /^[^.].*\.md$/i.test(name));
  if (names.length === 0) {
    throw new OperationError("not_found", `Cannot import "${folder}": expected Markdown files in it, found none`);
  }
  return createImportBatch(names.sort(), (name) => readMarkdownItem(join(folder, name)));
}

function readExport(path: string): ImportBatch {
  const data = wrapImportErrors(path, () => JSON.parse(readFileSync(path, "utf8")) as unknown);
  if (!Value.Check(EXPORT_HEADER, data)) {
    throw new OperationError("invalid_argument", `Cannot import "${path}": expected what \`planner export\` writes`);
  }
  return createImportBatch(data.specs, readExportItem);
}

function createImportBatch<Source>(
  sources: readonly Source[],
  read: (source: Source) => ImportItem | ImportRefusal,
): ImportBatch {
  const found = sources.map(read);
  return { items: found.filter((each) => "text" in each), refused: found.filter((each) => "reason" in each) };
}

function readExportItem(value: unknown): ImportItem | ImportRefusal {
  const error = Value.Errors(EXPORTED_SPEC, value).First();
  if (error !== undefined || !Value.Check(EXPORTED_SPEC, value)) {
    const source = getItemName(value);
    return { source, reason: `${error?.path.slice(1) || "spec"}: ${error?.message ?? "not a spec"}` };
  }
  const id = parseSpecId(value.id);
  if (id === undefined) return { source: value.id, reason: "no file could have this id as its name" };
  // Control characters in an id would appear in every listing of the folder.
  if (/\p{Cc}/u.test(id)) return { source: value.id, reason: "its id holds a control character: expected none" };
  const text = value.frontmatter_text + value.body;
  return validateImportItem({ source: value.id, id, name: value.id, archived: value.archived, text });
}

function readMarkdownItem(path: string): ImportItem | ImportRefusal {
  const source = basename(path);
  const name = source.slice(0, -".md".length);
  try {
    if (statSync(path).size > MAX_SPEC_BYTES) return { source, reason: `larger than ${MAX_SPEC_BYTES} bytes` };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    const id = parseSpecIdParts(name) === undefined ? undefined : parseSpecId(name);
    return validateImportItem({ source, id, name, archived: false, text });
  } catch (error) {
    return { source, reason: error instanceof TypeError ? "not valid UTF-8" : describeSystemError(error) };
  }
}

function validateImportItem(item: ImportItem): ImportItem | ImportRefusal {
  const document = parseDocument(item.text);
  if (!document.ok) {
    const { line, column, message } = document.problem;
    return { source: item.source, reason: `line ${line}, column ${column}: ${message}` };
  }
  return document.hasFrontmatter ? item : { source: item.source, reason: "no frontmatter" };
}

function getItemName(value: unknown): string {
  const id = isJsonObject(value) ? value["id"] : undefined;
  return typeof id === "string" && id !== "" ? id : "spec without an id";
}
