import type { FieldValue } from "../spec/edit/edit_fields.ts";
import { buildExactSpecFile, type NewSpecFile } from "../spec/new_spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { splitBody } from "./body_parts.ts";
import type { CheckedTask } from "./check_tasks.ts";

/** Content of a spec file without the fields `id` and `origin`. */
export type SpecContent = Omit<NewSpecFile, "id">;

export interface SpecContentOptions {
  readonly findSpecId: (key: string) => SpecId | undefined;
  readonly hasParts: boolean;
}

/** Builds the frontmatter and text of the spec for a task. */
export function buildSpecContent(task: CheckedTask, { findSpecId, hasParts }: SpecContentOptions): SpecContent {
  const [assignee] = task.assignees ?? [];
  const dependsOn = task.dependsOn.map(findSpecId).filter((id) => id !== undefined);
  const isExplicit = task.parent !== undefined && task.isOrdered !== true;
  const fields: Readonly<Record<string, FieldValue | undefined>> = {
    status: task.status,
    type: task.type ?? "code",
    // An empty list means that the spec does not wait for earlier parts of its parent.
    depends_on: dependsOn.length > 0 || isExplicit ? dependsOn : undefined,
    labels: omitEmptyList(task.labels),
    target_files: omitEmptyList(task.targetFiles),
    priority: task.priority,
    assignee,
    assignees: (task.assignees?.length ?? 0) > 1 ? task.assignees : undefined,
    due: task.due,
    completed_at: task.completedAt,
    approval: task.isDraft === true ? { required: true, status: "pending" } : undefined,
    origin_status: task.originStatus,
    ...task.fields,
  };
  const kept = Object.entries(fields).filter((entry): entry is [string, FieldValue] => entry[1] !== undefined);
  // An epic without parts becomes an ordinary task; a task that was a spec keeps its type.
  const type = task.type === "driver" && !hasParts && task.specId === undefined ? { type: "code" } : {};
  return { title: task.title, body: task.body.trim(), fields: { ...Object.fromEntries(kept), ...type } };
}

function omitEmptyList(list: readonly string[] | undefined): readonly string[] | undefined {
  const unique = [...new Set(list)];
  return unique.length === 0 ? undefined : unique;
}

/** Builds the text of a new spec file; `origin` is the field's value that names the source and the task in it. */
export function formatNewSpec(id: SpecId, { title, body, fields }: SpecContent, origin: FieldValue): string {
  return buildExactSpecFile({ id, title, body, fields: { ...fields, origin } });
}

/** Key under which an import compares the title of a spec. */
export const TITLE_FACET = "title";

/** Returns the parts of a task that an import compares, by name: fields as JSON, title, and parts of the body. */
export function listFacets({ title, body, fields }: SpecContent): Map<string, string> {
  const facets = new Map<string, string>([[TITLE_FACET, title]]);
  for (const [name, value] of Object.entries(fields)) facets.set(buildFieldFacetName(name), JSON.stringify(value));
  for (const { name, text } of splitBody(body, 0)) facets.set(buildPartFacetName(name), text);
  return facets;
}

export function buildFieldFacetName(name: string): string {
  return `field ${name}`;
}

export function buildPartFacetName(name: string): string {
  return `text ${name}`;
}
