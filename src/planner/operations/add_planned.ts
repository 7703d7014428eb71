import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { nearest } from "#kernel/nearest.ts";
import { oneOf } from "#kernel/one_of.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { CRITERIA_SECTION, criteriaOf } from "../spec/criteria.ts";
import type { FieldValue } from "../spec/edit/edit_fields.ts";
import { isDay, PRIORITIES } from "../spec/planning.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { createSpec } from "./add.ts";
import { findSpecId } from "./shared/find_spec.ts";

const text = Type.Optional(Type.String({ minLength: 1 }));
const texts = Type.Array(Type.String({ minLength: 1 }));

/** Creates a spec with its fields and criteria: the command `add`. The tool for agents takes the description alone. */
export const addPlanned = defineTool<PlannerContext>()({
  name: "add",
  summary: "Create a spec with its fields and criteria",
  effect: "write",
  idempotent: false,
  params: Type.Object({
    description: Type.String(),
    prompt: text,
    body: text,
    type: text,
    labels: texts,
    depends_on: texts,
    target_files: texts,
    criteria: texts,
    checks: Type.Array(Type.String()),
    priority: Type.Optional(oneOf(PRIORITIES, "How urgent the work is")),
    assignee: text,
    due: text,
    template: text,
  }),
  async run(context, { description, prompt, body = "", type, criteria, checks, due, template: name, ...given }) {
    const template = name === undefined ? undefined : await templateText(context, name);
    if (due !== undefined && !isDay(due)) {
      throw new OperationError("invalid_argument", `Invalid due "${due}": expected a day, YYYY-MM-DD`);
    }
    const dependencies: SpecId[] = [];
    for (const part of given.depends_on) dependencies.push(await findSpecId(context, part, { archived: true }));
    const fields = {
      labels: given.labels,
      depends_on: [...new Set(dependencies)],
      target_files: given.target_files,
      priority: given.priority,
      assignee: given.assignee,
      due,
    };
    return createSpec(context, description, {
      body: [body, criteriaSection(`${description}\n\n${body}\n\n${template ?? ""}`, { criteria, checks })]
        .filter((part) => part !== "")
        .join("\n\n"),
      ...(type === undefined ? {} : { type }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(template === undefined ? {} : { template }),
      fields: withoutEmpty(fields),
    });
  },
});

async function templateText({ templates }: PlannerContext, name: string): Promise<string> {
  const text = await templates.text(name);
  if (text !== null) return text;
  const names = await templates.names();
  const near = nearest(name, names);
  const known = names.length === 0 ? "a file in .planner/templates, which has none" : `one of ${names.join(", ")}`;
  const hint = near === undefined ? `expected ${known}` : `did you mean "${near}"?`;
  throw new OperationError("not_found", `Template not found: "${name}": ${hint}`);
}

interface CheckedCriteria {
  readonly criteria: readonly string[];
  /** None, or one for each criterion; an empty one means no check. */
  readonly checks: readonly string[];
}

function refuseUnpaired({ criteria, checks }: CheckedCriteria): void {
  const refuse = (message: string): never => {
    throw new OperationError("invalid_argument", message);
  };
  if (checks.length > 0 && checks.length !== criteria.length) {
    const expected = "expected one for each criterion, an empty text for one without";
    refuse(`Invalid checks: ${checks.length} for ${criteria.length} criteria: ${expected}`);
  }
  const broken = checks.find((check) => /[\r\n\0]/.test(check));
  if (broken !== undefined) refuse(`Invalid check "${broken}": expected one line`);
}

/** The section of the criteria; empty without any. @param before the text that it comes behind */
function criteriaSection(before: string, { criteria, checks }: CheckedCriteria): string {
  refuseUnpaired({ criteria, checks });
  if (criteria.length === 0) return "";
  for (const criterion of criteria) {
    if (criterion.trim() === "" || /[\r\n]/.test(criterion)) {
      throw new OperationError("invalid_argument", `Invalid criterion "${criterion}": expected one line of text`);
    }
  }
  const lines = criteria.map((criterion) => criterion.trim());
  const items = lines.map((criterion, index) => {
    const check = checks[index]?.trim() ?? "";
    return check === "" ? `- [ ] ${criterion}` : `- [ ] ${criterion}\n  verify: ${check}`;
  });
  const section = `## ${CRITERIA_SECTION}\n\n${items.join("\n")}`;
  // Only the first section counts, and none inside a code block that stays open.
  const counted = criteriaOf(`${before}\n\n${section}\n`).map(({ label }) => label);
  if (counted.join("\n") === lines.join("\n")) return section;
  const reason = "the text before them has such a section, or a code block that is not closed";
  throw new OperationError("invalid_argument", `Cannot add criteria: ${reason}; write them into the text`);
}

function withoutEmpty(fields: Readonly<Record<string, FieldValue | undefined>>): Record<string, FieldValue> {
  const set = Object.entries(fields).filter(
    (entry): entry is [string, FieldValue] =>
      entry[1] !== undefined && !(Array.isArray(entry[1]) && entry[1].length === 0),
  );
  return Object.fromEntries(set);
}
