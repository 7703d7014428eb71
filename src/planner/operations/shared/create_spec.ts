import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { specFromTemplate } from "../../spec/from_template.ts";
import { type NewSpec, newSpecText, splitDescription, withoutMark } from "../../spec/new_spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { hasTemplate, promptNotFound } from "../../work/prompts/prompt_template.ts";
import { type Diagnostic, diagnosticsOf, lintProject } from "./lint_project.ts";
import { localDay } from "./local_time.ts";

/** What a new spec gets beside its description; `body` comes behind the description's own. */
export type NewParts = Pick<NewSpec, "body" | "type" | "prompt" | "fields"> & {
  /** Instead of the beginning of the description, which is then all of the body. */
  readonly title?: string;
  /** The text of a template that the spec is made from. */
  readonly template?: string;
};

export async function createSpec(context: PlannerContext, description: string, parts: NewParts) {
  const { title, body } =
    parts.title === undefined ? splitDescription(description) : { title: withoutMark(parts.title), body: description };
  if (title === "") throw new OperationError("invalid_argument", "Invalid description: expected text to work from");
  if (parts.prompt !== undefined) await requirePrompt(context, parts.prompt);
  const text = [body === title ? "" : body, parts.body ?? ""].filter((part) => part !== "").join("\n\n");
  const day = localDay(context.clock.now());
  const id = await context.specs.create(day, (newId) => textOf(newId, { title, text }, parts));
  const diagnostics = await lintNew(context, id);
  return {
    value: { spec_id: id, file: `.planner/specs/${id}.md`, diagnostics },
    text: [`Created spec: ${id}`, ...diagnosticLines(diagnostics)].join("\n"),
  };
}

function textOf(id: SpecId, { title, text }: { title: string; text: string }, parts: NewParts): string {
  const { template, type, prompt, fields } = parts;
  if (template === undefined) return newSpecText({ ...parts, id, title, body: text });
  const given = { ...(type === undefined ? {} : { type }), ...(prompt === undefined ? {} : { prompt }), ...fields };
  return specFromTemplate(template, { id, title, body: text, fields: given });
}

/** Lints the new spec. It is there already, so broken settings must not turn the answer into a refusal. */
async function lintNew(context: PlannerContext, id: SpecId): Promise<readonly Diagnostic[]> {
  try {
    return diagnosticsOf(await lintProject(context, { ids: [id] }));
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return [{ spec_id: id, severity: "error", rule: "parse", message: error.message }];
  }
}

async function requirePrompt({ prompts }: PlannerContext, name: string): Promise<void> {
  if (!(await hasTemplate(prompts, name))) throw promptNotFound(name, await prompts.names());
}

function diagnosticLines(diagnostics: readonly Diagnostic[]): readonly string[] {
  if (diagnostics.length === 0) return [];
  const lines = diagnostics.flatMap(({ severity, rule, message, suggestion }) => [
    `[${severity.toUpperCase()}] ${rule}: ${message}`,
    ...(suggestion === undefined ? [] : [`→ ${suggestion}`]),
  ]);
  return ["", "Lint diagnostics:", ...lines];
}
