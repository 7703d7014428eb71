import { join } from "node:path";
import type { PlannerContext } from "#planner/context.ts";
import { localDay } from "#planner/operations/shared/local_time.ts";
import { parseDocument } from "#planner/spec/document.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import { titleOf } from "#planner/spec/sections.ts";
import { type SpecId, specIdParts } from "#planner/spec/spec_id.ts";
import type { OpenProject } from "../open_project.ts";
import { createFile } from "../output/write_file.ts";
import type { ImportBatch, ImportItem, ImportRefusal } from "./read_import.ts";

export interface ImportReport {
  readonly imported: readonly { readonly source: string; readonly id: SpecId | null }[];
  /** Specs whose id the project has already; they stay as they are. */
  readonly existing: readonly { readonly source: string; readonly id: SpecId }[];
  readonly refused: readonly ImportRefusal[];
}

/**
 * Writes the items into the project, never over an existing spec. An item whose name is no spec id gets a new one, and
 * what depends on it by its old name then depends on the new id.
 *
 * @param dryRun only reports what would happen; new ids are then null
 */
export async function importSpecs(project: OpenProject, batch: ImportBatch, dryRun: boolean): Promise<ImportReport> {
  const { context } = project;
  const taken = new Set<string>([...(await context.specs.ids()), ...(await context.specs.archivedIds())]);
  const imported: Imported[] = [];
  const existing: { source: string; id: SpecId }[] = [];
  for (const item of batch.items) {
    const { source, name, id } = item;
    const written = await takeIn(project, item, { taken, dryRun });
    if (written !== "exists") imported.push({ source, name, id: written });
    else if (id !== undefined) existing.push({ source, id });
    // An export may name one id twice: the first one counts.
    if (id !== undefined) taken.add(id);
  }
  await followNewIds(context, imported);
  return { imported: imported.map(({ source, id }) => ({ source, id })), existing, refused: batch.refused };
}

interface Imported {
  readonly source: string;
  readonly name: string;
  readonly id: SpecId | null;
}

async function takeIn(
  { context, root }: OpenProject,
  item: ImportItem,
  { taken, dryRun }: { readonly taken: ReadonlySet<string>; readonly dryRun: boolean },
): Promise<SpecId | null | "exists"> {
  const { id } = item;
  if (id !== undefined && taken.has(id)) return "exists";
  if (dryRun) return id ?? null;
  if (id === undefined) return createNew(context, item);
  return keepId(root, item, id) ? id : "exists";
}

/** Writes the text as it is under its own id; false when a spec of that id appeared meanwhile. */
function keepId(root: string, { archived, text }: ImportItem, id: SpecId): boolean {
  const day = specIdParts(id)?.day;
  const archive = day === undefined ? "archive" : join("archive", day);
  return createFile(join(root, ".planner", archived ? archive : "specs", `${id}.md`), text);
}

function createNew(context: PlannerContext, { name, text }: ImportItem): Promise<SpecId> {
  const document = parseDocument(text);
  const { frontmatter, body } = document.ok ? document : { frontmatter: {} as Record<string, unknown>, body: "" };
  const untitled = titleOf(body) === null && typeof frontmatter["title"] !== "string";
  return context.specs.create(localDay(context.clock.now()), (id) =>
    editFields(text, {
      id,
      ...(frontmatter["status"] === undefined ? { status: "pending" } : {}),
      ...(untitled ? { title: name } : {}),
    }),
  );
}

async function followNewIds(context: PlannerContext, imported: readonly Imported[]): Promise<void> {
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
