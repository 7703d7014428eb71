import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import { findSpec } from "./shared/find_spec.ts";
import { openReadChecks } from "./shared/invalid_fields.ts";
import { specIdParam } from "./shared/params.ts";
import { computedStatus } from "./shared/world.ts";

export const specGet = defineTool<PlannerContext>()({
  name: "planner_spec_get",
  summary:
    "Read one spec, active or archived: its fields, and the body with its criteria. For open criteria alone use planner_verify.",
  answers: "Every field that is set, body, `file`, `archived: true`, and `blocked_by`.",
  effect: "read",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id }) {
    const spec = await findSpec(context, id, { archived: true });
    const { status, blockedBy } = await computedStatus(context, spec);
    const invalidPart = (await openReadChecks(context))(spec);
    return {
      value: {
        id: spec.id,
        title: spec.title,
        status,
        type: spec.type,
        ...furtherFields(spec),
        file: spec.file,
        ...(spec.archived ? { archived: true } : {}),
        ...(blockedBy.length === 0 ? {} : { blocked_by: blockedBy }),
        ...invalidPart,
        body: spec.body,
      },
    };
  },
});

/** What the tool itself says: a frontmatter key of the same name never hides it. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "title",
  "status",
  "type",
  "file",
  "archived",
  "blocked_by",
  "invalid",
  "body",
]);

/** Every other frontmatter field that is set, as written; a known list is a list even where one text was written. */
function furtherFields(spec: Spec): Record<string, unknown> {
  const lists = {
    depends_on: spec.dependsOn,
    labels: spec.labels,
    target_files: spec.targetFiles,
    members: spec.members,
  };
  const fields: Record<string, unknown> = { ...spec.frontmatter };
  for (const [name, list] of Object.entries(lists)) {
    if (list.length > 0) fields[name] = list;
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== null && value !== undefined && !OWN_FIELDS.has(name)),
  );
}
