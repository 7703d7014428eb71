import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { specFromTemplate } from "../spec/from_template.ts";
import { type NewSpec, newSpecText, splitDescription } from "../spec/new_spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { hasTemplate, promptNotFound } from "../work/prompts/prompt_template.ts";
import { type Diagnostic, diagnosticsOf, lintProject } from "./shared/lint_project.ts";
import { localDay } from "./shared/local_time.ts";

export const add = defineTool<PlannerContext>()({
  name: "planner_add",
  summary:
    "Create a pending spec, with its criteria and fields at once, and lint it: its id and the findings. Look with planner_search first; change it with planner_spec_update.",
  effect: "write",
  idempotent: false,
  params: Type.Object({
    description: Type.String({ description: "What to do; the title, or title and body when long or of several lines" }),
    prompt: Type.Optional(Type.String({ description: "Name of a prompt template in .planner/prompts" })),
  }),
  async run(context, { description, prompt }) {
    return createSpec(context, description, prompt === undefined ? {} : { prompt });
  },
});

/** What a new spec gets beside its description; `body` comes behind the description's own. */
export type NewParts = Pick<NewSpec, "body" | "type" | "prompt" | "fields"> & {
  /** The text of a template that the spec is made from. */
  readonly template?: string;
};

/** Creates a spec and lints it. */
export async function createSpec(context: PlannerContext, description: string, parts: NewParts) {
  const { title, body } = splitDescription(description);
  if (title === "") throw new OperationError("invalid_argument", "Invalid description: expected text to work from");
  if (parts.prompt !== undefined) await requirePrompt(context, parts.prompt);
  const text = [body, parts.body ?? ""].filter((part) => part !== "").join("\n\n");
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
