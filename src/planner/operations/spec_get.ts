import { type Static, Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import { findSpec } from "./shared/find_spec.ts";
import { specIdParam } from "./shared/params.ts";
import { createInvalidFieldCheck, refuseInvalidRead } from "./shared/spec_findings.ts";
import { computeStatus } from "./shared/world.ts";

const GET_PARAMS = Type.Object({
  id: specIdParam,
  lines: Type.Optional(Type.Integer({ minimum: 0, description: "Lines of body" })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: "Lines skipped" })),
});

export const specGetTool = defineTool<PlannerContext>()({
  name: "planner_spec_get",
  summary:
    "Read one spec, active or archived: its fields, and the body with its criteria. For open criteria alone use planner_verify.",
  resultDescription:
    "Every field that is set, body, `file`, `archived: true`, and `blocked_by`. With `lines` or `offset` a part of the body, its `line_count`, and `total_lines`. A spec that lint on read finds invalid is refused with lint's report.",
  effect: "read",
  idempotent: true,
  params: GET_PARAMS,
  async run(context, args) {
    const spec = await findSpec(context, args.id, { archived: true });
    await refuseInvalidRead(context, spec);
    return { value: await buildSpecView(context, spec, args) };
  },
});

/** The command `show`: the tool, but with the fields that are not valid instead of a refusal. */
export const showCommand = defineTool<PlannerContext>()({
  ...specGetTool,
  name: "show",
  async run(context, args) {
    const spec = await findSpec(context, args.id, { archived: true });
    const view = await buildSpecView(context, spec, args);
    return { value: { ...view, ...(await createInvalidFieldCheck(context))(spec) } };
  },
});

async function buildSpecView(context: PlannerContext, spec: Spec, { lines, offset }: Static<typeof GET_PARAMS>) {
  const { status, blockedBy } = await computeStatus(context, spec);
  return {
    id: spec.id,
    title: spec.title,
    status,
    type: spec.type,
    ...pickOtherFields(spec),
    file: spec.file,
    ...(spec.archived ? { archived: true } : {}),
    ...(blockedBy.length === 0 ? {} : { blocked_by: blockedBy }),
    ...(lines === undefined && offset === undefined ? { body: spec.body } : cutBody(spec.body, lines, offset)),
  };
}

function cutBody(body: string, count: number | undefined, offset = 0) {
  const all = body.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const part = all.slice(offset, count === undefined ? undefined : offset + count);
  return { line_count: part.length, total_lines: all.length, body: part.join("") };
}

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
  "line_count",
  "total_lines",
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
