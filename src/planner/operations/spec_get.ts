import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import { findSpec } from "./shared/find_spec.ts";
import { createInvalidFieldCheck } from "./shared/invalid_fields.ts";
import { specIdParam } from "./shared/params.ts";
import { computeStatus } from "./shared/world.ts";

export const specGetTool = defineTool<PlannerContext>()({
  name: "planner_spec_get",
  summary:
    "Read one spec, active or archived: its fields, and the body with its criteria. For open criteria alone use planner_verify.",
  resultDescription: "Every field that is set, body, `file`, `archived: true`, and `blocked_by`.",
  effect: "read",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id }) {
    const spec = await findSpec(context, id, { archived: true });
    const { status, blockedBy } = await computeStatus(context, spec);
    const invalidPart = (await createInvalidFieldCheck(context))(spec);
    return {
      value: {
        id: spec.id,
        title: spec.title,
        status,
        type: spec.type,
        ...pickOtherFields(spec),
        file: spec.file,
        ...(spec.archived ? { archived: true } : {}),
        ...(blockedBy.length === 0 ? {} : { blocked_by: blockedBy }),
        ...invalidPart,
        body: spec.body,
      },
    };
  },
});

/** Fields that the tool sets; a frontmatter key of the same name does not replace them. */
const TOOL_FIELDS: ReadonlySet<string> = new Set([
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

/** Returns every other set field as written; a known list field as a list even if it was written as one text. */
function pickOtherFields(spec: Spec): Record<string, unknown> {
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
    Object.entries(fields).filter(([name, value]) => value !== null && value !== undefined && !TOOL_FIELDS.has(name)),
  );
}
