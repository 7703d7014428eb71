import type { FieldValue } from "../spec/edit/edit_fields.ts";
import { type NewSpecFile, newSpecFile } from "../spec/new_spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { bodyParts } from "./body_parts.ts";
import type { CheckedTask } from "./check_tasks.ts";

/** Its fields are without `id` and `origin`. */
export type SpecContent = Omit<NewSpecFile, "id">;

export interface ContentRefs {
  readonly idOf: (key: string) => SpecId | undefined;
  readonly hasParts: boolean;
}

/** The frontmatter and text of the spec that a task becomes. */
export function contentOf(task: CheckedTask, { idOf, hasParts }: ContentRefs): SpecContent {
  const [assignee] = task.assignees ?? [];
  const dependsOn = task.dependsOn.map(idOf).filter((id) => id !== undefined);
  const isExplicit = task.parent !== undefined && task.isOrdered !== true;
  const fields: Readonly<Record<string, FieldValue | undefined>> = {
    status: task.status,
    type: task.type ?? "code",
    // An empty list says that the spec does not wait for the parts in front of it.
    depends_on: dependsOn.length > 0 || isExplicit ? dependsOn : undefined,
    labels: nonEmpty(task.labels),
    target_files: nonEmpty(task.targetFiles),
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
  // An epic without parts is a task like others; what came as a spec keeps its type.
  const type = task.type === "driver" && !hasParts && task.specId === undefined ? { type: "code" } : {};
  return { title: task.title, body: task.body.trim(), fields: { ...Object.fromEntries(kept), ...type } };
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  const unique = [...new Set(list)];
  return unique.length === 0 ? undefined : unique;
}

/** The text of a new spec file. @param origin how the spec names its source and the task there */
export function newSpecFrom(id: SpecId, { title, body, fields }: SpecContent, origin: FieldValue): string {
  return newSpecFile({ id, title, body, fields: { ...fields, origin } });
}

/** Name of the part that is the title. */
export const TITLE = "title";

/** The comparable parts of what a task says, by name: fields as JSON, the title, and the parts of the body. */
export function facetsOf({ title, body, fields }: SpecContent): Map<string, string> {
  const facets = new Map<string, string>([[TITLE, title]]);
  for (const [name, value] of Object.entries(fields)) facets.set(fieldFacet(name), JSON.stringify(value));
  for (const { name, text } of bodyParts(body, 0)) facets.set(partFacet(name), text);
  return facets;
}

export function fieldFacet(name: string): string {
  return `field ${name}`;
}

export function partFacet(name: string): string {
  return `text ${name}`;
}
