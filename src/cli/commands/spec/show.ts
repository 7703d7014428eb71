import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import type { InvalidField } from "#planner/operations/shared/spec_findings.ts";
import { readSpecProof, type SpecProof } from "#planner/operations/shared/spec_proof.ts";
import { showCommand } from "#planner/operations/spec_get.ts";
import { runTool } from "#planner/service.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ANY_ID, booleanFlag, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { selectStatusStyle } from "../../output/listing_output.ts";
import { paint, print, printJson, sanitizeLine, sanitizeLines } from "../../output/print.ts";

/** A spec in the form that the get tool returns. */
interface ShownSpec {
  readonly id: string;
  readonly title: string | null;
  readonly status: string;
  readonly body: string;
  readonly invalid?: readonly InvalidField[];
  readonly [field: string]: unknown;
}

/** Fields that are printed above all others, in this order. */
const FIRST_FIELDS = ["status", "type", "file"] as const;

/** Formats a spec for people: id and title, one line per field, the proofs, then the body without its title. */
function renderSpec(spec: ShownSpec, proofs: string): string {
  const { id, title, body, invalid, ...others } = spec;
  const fields: Readonly<Record<string, unknown>> =
    invalid === undefined ? others : { ...others, invalid: invalid.map(({ message }) => message) };
  const isShown = (name: string) => !FIRST_FIELDS.includes(name as "file") && formatField(fields[name]) !== "";
  const names = [...FIRST_FIELDS, ...Object.keys(fields).filter(isShown)];
  const width = Math.max(...names.map((name) => sanitizeLine(name).length));
  const lines = names.map((name) => {
    const text = sanitizeLine(formatField(fields[name]));
    const style = name === "status" ? selectStatusStyle(text) : undefined;
    return `${paint(sanitizeLine(name).padEnd(width), "dim")}  ${style === undefined ? text : paint(text, style)}`;
  });
  const heading = `${paint(sanitizeLine(id), "bold")}  ${paint(sanitizeLine(title ?? "(no title)"), "bold")}`;
  const rest = sanitizeLines(removeTitle(body, title)).trim();
  return `${[heading, "", ...lines, ...(proofs === "" ? [] : ["", proofs]), ...(rest === "" ? [] : ["", rest])].join("\n")}\n`;
}

function formatField(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatField).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Removes the title, which is printed above. Any other heading is part of the text.
function removeTitle(body: string, title: string | null): string {
  const text = body.trimStart();
  const end = text.indexOf("\n");
  const first = (end === -1 ? text : text.slice(0, end)).trim();
  return title !== null && first === `# ${title}` ? text.slice(first.length) : text;
}

/** Reads the fields of a spec. If its file does not parse, prints its text before the error. */
async function readSpecFields(context: PlannerContext, id: string, { showsText }: { readonly showsText: boolean }) {
  try {
    return (await runTool(context, showCommand, { id })).value;
  } catch (error) {
    if (showsText && error instanceof OperationError && error.kind === "failed_precondition") {
      const found = await findSpecId(context, id, { archived: true }).then((full) => context.specs.readText(full));
      print(`${sanitizeLines(found.text).trimEnd()}\n`);
    }
    throw error;
  }
}

type ShownProof = Pick<SpecProof, "criteria"> | { readonly criteria_problem: string };

/** Reads the criteria with their marks. Returns git's refusal, which does not mean that there is no proof. */
async function readProofOrProblem(context: PlannerContext, id: string, hasWorktree: boolean): Promise<ShownProof> {
  try {
    const spec = await context.specs.load(id as SpecId);
    return { criteria: (await readSpecProof(context, spec, { hasWorktree })).criteria };
  } catch (error) {
    if (error instanceof OperationError) return { criteria_problem: error.message };
    throw error;
  }
}

/** Formats the criteria that have a mark or a check; empty if none has. */
async function renderProof(proof: ShownProof): Promise<string> {
  if ("criteria_problem" in proof) return sanitizeLine(`Proofs cannot be read: ${proof.criteria_problem}`);
  const told = proof.criteria.filter(({ explanation }) => explanation !== null);
  if (told.length === 0) return "";
  const { formatCriterion } = await import("../../review/facts_text.ts");
  const lines = told.flatMap(formatCriterion).map((line) => `  ${sanitizeLine(line)}`);
  return [paint("Criteria", "bold"), ...lines].join("\n");
}

export const command = defineCommand({
  meta: { name: "show", description: "Show fields, criteria with marks, and body of a spec, active or archived" },
  details:
    "Exits with 1 for a spec that is not valid, after its text. With --prompt, --json prints `spec_id`, `template`, `prompt` and `warnings`.",
  args: {
    id: ANY_ID,
    prompt: booleanFlag("Print the prompt that an agent would get"),
    raw: booleanFlag("Print the file byte for byte, even one that does not parse", {
      alias: "r",
      excludes: ["--prompt", "--json"],
    }),
    json: JSON_FLAG,
  },
  examples: {
    "planner show 003": "Show today's third spec",
    "planner show 003 --prompt | less": "Show the prompt of a run",
    "planner show 2026-11-21-003-k3x --raw > copy.md": "Copy the file",
  },
  async run({ args: { id, prompt, raw, json }, cli }) {
    const project = await cli.openProject();
    const { context, root } = project;
    if (prompt) {
      const { printPrompt } = await import("../../show_prompt.ts");
      await printPrompt(project, await findSpecId(context, id, { archived: true }), { json, warn: cli.warn });
      return EXIT_STATUS.ok;
    }
    if (raw) {
      const { file } = await context.specs.readText(await findSpecId(context, id, { archived: true }));
      print(readFileSync(join(root, file)));
      return EXIT_STATUS.ok;
    }
    const spec = await readSpecFields(context, id, { showsText: !json });
    const worktree = (await context.work.worktrees()).find(({ spec_id }) => spec_id === spec.id)?.path;
    const value = { ...spec, ...(worktree !== undefined && { worktree }) };
    const proof = await readProofOrProblem(context, spec.id, worktree !== undefined);
    if (json) printJson({ ...value, ...proof });
    else print(renderSpec(value, await renderProof(proof)));
    return value.invalid === undefined ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});
