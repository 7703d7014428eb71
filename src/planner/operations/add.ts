import { type Static, Type } from "@sinclair/typebox";
import { createInvalidArgumentError, OperationError } from "#kernel/errors.ts";
import { findNearest } from "#kernel/nearest.ts";
import { createEnumSchema, defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { CRITERIA_SECTION, parseCriteria } from "../spec/criteria.ts";
import type { FieldValue } from "../spec/edit/edit_fields.ts";
import { buildSpecFile, fillTemplate, type NewSpec, removeHeadingMark, splitDescription } from "../spec/new_spec.ts";
import { PRIORITIES } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { buildTemplateNotFoundError, hasTemplate } from "../work/prompts/prompt_template.ts";
import { findSpecIds } from "./shared/find_spec.ts";
import { formatLocalDay } from "./shared/live_worker.ts";
import { createTextsParam, refuseInvalidDueDay } from "./shared/params.ts";
import { type Diagnostic, lintProject, listDiagnostics } from "./shared/spec_findings.ts";

const optionalText = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

const ADD_PARAMS = Type.Object({
  description: Type.String({ description: "What to do: the title; if long, title and body" }),
  prompt: optionalText("Prompt template in .planner/prompts"),
  title: optionalText("Title, with the description as body"),
  criteria: createTextsParam("Acceptance criteria, a line each"),
  checks: Type.Optional(
    Type.Array(Type.String(), { description: "Command for each criterion, empty for none; a person accepts it" }),
  ),
  labels: createTextsParam("Labels"),
  priority: Type.Optional(createEnumSchema(PRIORITIES, "How urgent")),
  depends_on: createTextsParam("Ids this one waits for"),
});

export const addTool = defineTool<PlannerContext>()({
  name: "planner_add",
  summary:
    "Create a pending spec with its fields and criteria, and lint it: its id and findings. planner_search first; planner_spec_update changes it.",
  resultDescription:
    "`Created spec: <id>` and, if lint finds something, a blank line, `Lint diagnostics:`, and for each finding `[SEVERITY] rule: message` with a line `→ suggestion`. Up to 80 characters on one line are the title; of more, the first line or sentence is. A check runs after a person accepted (docs/work.md#acceptance) it.",
  effect: "write",
  idempotent: false,
  params: ADD_PARAMS,
  run: (context, args) => addSpec(context, args),
});

const ADD_COMMAND_PARAMS = Type.Object({
  ...ADD_PARAMS.properties,
  body: optionalText("Text behind that of the description"),
  type: optionalText("Type"),
  target_files: createTextsParam("Files that the work changes"),
  assignee: optionalText("Who does the work"),
  due: optionalText("Day"),
  template: optionalText("Name of a template in .planner/templates"),
});

/** The command `add`: the same tool with planning fields and templates as additional parameters. */
export const addCommand = defineTool<PlannerContext>()({
  ...addTool,
  name: "add",
  params: ADD_COMMAND_PARAMS,
  run: (context, args) => addSpec(context, args),
});

type AddArguments = Static<typeof ADD_COMMAND_PARAMS>;

async function addSpec(context: PlannerContext, { description, due, template: name, ...given }: AddArguments) {
  const template = name === undefined ? undefined : await readTemplate(context, name);
  if (due !== undefined) refuseInvalidDueDay(due);
  const { title, body = "", type, prompt, criteria = [], checks = [], depends_on = [] } = given;
  const fields = {
    labels: given.labels,
    depends_on: await findSpecIds(context, depends_on, { archived: true }),
    target_files: given.target_files,
    priority: given.priority,
    assignee: given.assignee,
    due,
  };
  return createSpec(context, description, {
    body: [body, buildCriteriaSection(`${description}\n\n${body}\n\n${template ?? ""}`, { criteria, checks })]
      .filter((part) => part !== "")
      .join("\n\n"),
    ...(title === undefined ? {} : { title }),
    ...(type === undefined ? {} : { type }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(template === undefined ? {} : { template }),
    fields: omitEmptyFields(fields),
  });
}

async function readTemplate({ templates }: PlannerContext, name: string): Promise<string> {
  const text = await templates.text(name);
  if (text !== null) return text;
  const names = await templates.names();
  const near = findNearest(name, names);
  const known = names.length === 0 ? "a file in .planner/templates, which has none" : `one of ${names.join(", ")}`;
  const hint = near === undefined ? `expected ${known}` : `did you mean "${near}"?`;
  throw new OperationError("not_found", `Template not found: "${name}": ${hint}`);
}

function omitEmptyFields(fields: Readonly<Record<string, FieldValue | undefined>>): Record<string, FieldValue> {
  const set = Object.entries(fields).filter(
    (entry): entry is [string, FieldValue] =>
      entry[1] !== undefined && !(Array.isArray(entry[1]) && entry[1].length === 0),
  );
  return Object.fromEntries(set);
}

interface CheckedCriteria {
  readonly criteria: readonly string[];
  /** Empty, or one check per criterion; an empty text means that the criterion has no check. */
  readonly checks: readonly string[];
}

function refuseUnpairedChecks({ criteria, checks }: CheckedCriteria): void {
  const throwArgumentError = (message: string): never => {
    throw createInvalidArgumentError(message);
  };
  if (checks.length > 0 && checks.length !== criteria.length) {
    const expected = "expected one for each criterion, an empty text for one without";
    throwArgumentError(`Invalid checks: ${checks.length} for ${criteria.length} criteria: ${expected}`);
  }
  const broken = checks.find((check) => /[\r\n\0]/.test(check));
  if (broken !== undefined) throwArgumentError(`Invalid check "${broken}": expected one line`);
}

/** Builds the section of acceptance criteria that follows the text `before`; empty without criteria. */
function buildCriteriaSection(before: string, { criteria, checks }: CheckedCriteria): string {
  refuseUnpairedChecks({ criteria, checks });
  if (criteria.length === 0) return "";
  for (const criterion of criteria) {
    if (criterion.trim() === "" || /[\r\n]/.test(criterion)) {
      throw createInvalidArgumentError(`Invalid criterion "${criterion}": expected one line of text`);
    }
  }
  const lines = criteria.map((criterion) => criterion.trim());
  const items = lines.map((criterion, index) => {
    const check = checks[index]?.trim() ?? "";
    return check === "" ? `- [ ] ${criterion}` : `- [ ] ${criterion}\n  verify: ${check}`;
  });
  const section = `## ${CRITERIA_SECTION}\n\n${items.join("\n")}`;
  // Only the first section counts, and not one inside a code block that is not closed.
  const counted = parseCriteria(`${before}\n\n${section}\n`).map(({ label }) => label);
  if (counted.join("\n") === lines.join("\n")) return section;
  const reason = "the text before them has such a section, or a code block that is not closed";
  throw createInvalidArgumentError(`Cannot add criteria: ${reason}; write them into the text`);
}

/** Parts of a new spec besides its description; `body` is appended to the body that the description gives. */
type NewSpecParts = Pick<NewSpec, "body" | "type" | "prompt" | "fields"> & {
  /** The title. Without it the beginning of the description is the title; with it the whole description is body. */
  readonly title?: string;
  /** The text of the template for the spec. */
  readonly template?: string;
};

async function createSpec(context: PlannerContext, description: string, parts: NewSpecParts) {
  const { title, body } =
    parts.title === undefined
      ? splitDescription(description)
      : { title: removeHeadingMark(parts.title), body: description };
  if (title === "") throw createInvalidArgumentError("Invalid description: expected text to work from");
  if (parts.prompt !== undefined && !(await hasTemplate(context.prompts, parts.prompt))) {
    throw buildTemplateNotFoundError(parts.prompt, await context.prompts.names());
  }
  const text = [body === title ? "" : body, parts.body ?? ""].filter((part) => part !== "").join("\n\n");
  const day = formatLocalDay(context.clock.now());
  const id = await context.specs.create(day, (newId) => buildSpecText(newId, { title, text }, parts));
  const diagnostics = await lintNewSpec(context, id);
  return {
    value: { spec_id: id, file: `.planner/specs/${id}.md`, diagnostics },
    text: [`Created spec: ${id}`, ...formatDiagnostics(diagnostics)].join("\n"),
  };
}

function buildSpecText(id: SpecId, { title, text }: { title: string; text: string }, parts: NewSpecParts): string {
  const { template, type, prompt, fields } = parts;
  if (template === undefined) return buildSpecFile({ ...parts, id, title, body: text });
  const given = { ...(type === undefined ? {} : { type }), ...(prompt === undefined ? {} : { prompt }), ...fields };
  return fillTemplate(template, { id, title, body: text, fields: given });
}

/** Lints the new spec. A broken configuration becomes a diagnostic, not an error, because the spec already exists. */
async function lintNewSpec(context: PlannerContext, id: SpecId): Promise<readonly Diagnostic[]> {
  try {
    return listDiagnostics(await lintProject(context, { ids: [id] }));
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return [{ spec_id: id, severity: "error", rule: "parse", message: error.message }];
  }
}

function formatDiagnostics(diagnostics: readonly Diagnostic[]): readonly string[] {
  if (diagnostics.length === 0) return [];
  const lines = diagnostics.flatMap(({ severity, rule, message, suggestion }) => [
    `[${severity.toUpperCase()}] ${rule}: ${message}`,
    ...(suggestion === undefined ? [] : [`→ ${suggestion}`]),
  ]);
  return ["", "Lint diagnostics:", ...lines];
}
