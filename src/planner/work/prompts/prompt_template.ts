import { createPreconditionError, OperationError, shortenText } from "#kernel/errors.ts";
import { findNearest } from "#kernel/nearest.ts";
import { parseDocument } from "../../spec/document.ts";

export interface TemplateStore {
  /** The templates' names without `.md`, sorted; empty when there is no such folder. */
  names(): Promise<readonly string[]>;
  /** A template's text, or null without one of that name; throws OperationError `failed_precondition` if unreadable. */
  text(name: string): Promise<string | null>;
}

/** Sources of prompts: the templates `.planner/prompts/<name>.md`, and the project's own files. */
export interface PromptStore extends TemplateStore {
  /** Reads at most the first `maxBytes` bytes of a file. Reads no file outside of the project, even through a link. */
  readProjectFile(path: string, maxBytes: number): Promise<ProjectFileText>;
}

/** `whole` is false if only the beginning was read; `why` says why the path leads to no text. */
export type ProjectFileText =
  | { readonly kind: "text"; readonly text: string; readonly whole: boolean }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "outside" };

/** Matches `{{…}}` from the first opening braces to the next closing ones. */
const PLACEHOLDER = /\{\{([\s\S]*?)\}\}/g;
const PARENT_PLACEHOLDER = /\{\{\s*>\s*parent\s*\}\}/g;

/** A template combined with the templates that it extends. */
export interface PromptTemplate {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads a template and the templates that it extends. A parent's text replaces `{{> parent}}` in the child. Without
 * that placeholder it precedes the child's text. The standard template exists even if the project has no file for it.
 *
 * @throws OperationError `not_found` for a name without a file, `failed_precondition` for a file that does not parse, a
 *   cycle of templates, a missing parent, and `{{> parent}}` in a template that extends none
 */
export async function loadTemplate(prompts: PromptStore, name: string): Promise<PromptTemplate> {
  return { name, text: await joinTemplates(prompts, name, []) };
}

async function joinTemplates(prompts: PromptStore, name: string, children: readonly string[]): Promise<string> {
  const path = [...children, name];
  if (children.includes(name)) {
    throw createPreconditionError(`Prompt templates extend each other in a circle: ${path.join(" -> ")}`);
  }
  const { parent, body } = await readTemplate(prompts, name, children.at(-1));
  if (parent !== null) {
    const parentText = await joinTemplates(prompts, parent, path);
    return body.search(PARENT_PLACEHOLDER) === -1
      ? `${parentText.trimEnd()}\n\n${body.trimStart()}`
      : body.replace(PARENT_PLACEHOLDER, () => parentText.trim());
  }
  if (body.search(PARENT_PLACEHOLDER) === -1) return body;
  throw createPreconditionError(
    `Prompt "${name}" holds {{> parent}} and extends none: expected "extends: <name>" in its frontmatter`,
  );
}

async function readTemplate(prompts: PromptStore, name: string, child: string | undefined) {
  const text = (await prompts.text(name)) ?? (name === STANDARD_PROMPT_NAME ? STANDARD_PROMPT : null);
  if (text === null) throw await buildMissingTemplateError(prompts, name, child);
  const document = parseDocument(text);
  if (!document.ok) {
    const { line, column, message } = document.problem;
    throw createPreconditionError(`Cannot read the prompt "${name}": line ${line}, column ${column}: ${message}`);
  }
  const parent = document.frontmatter["extends"] ?? null;
  if (parent !== null && (typeof parent !== "string" || parent === "")) {
    throw createPreconditionError(`Cannot read the prompt "${name}": expected a name behind "extends"`);
  }
  return { parent, body: document.body };
}

async function buildMissingTemplateError(
  prompts: PromptStore,
  name: string,
  child: string | undefined,
): Promise<OperationError> {
  const names = await prompts.names();
  if (child === undefined) return buildTemplateNotFoundError(name, names);
  const near = findNearest(name, names);
  const hint = near === undefined ? "" : `: did you mean "${near}"?`;
  return createPreconditionError(`Prompt "${child}" extends "${name}", which does not exist${hint}`);
}

/** Returns the error for an unknown template. @param names names of the existing templates */
export function buildTemplateNotFoundError(name: string, names: readonly string[]): OperationError {
  const near = findNearest(name, names);
  const known = names.length === 0 ? "a file in .planner/prompts, which has none" : `one of ${names.join(", ")}`;
  const hint = near === undefined ? `expected ${known}` : `did you mean "${near}"?`;
  return new OperationError("not_found", `Prompt not found: "${shortenText(name)}": ${hint}`);
}

export async function hasTemplate(prompts: PromptStore, name: string): Promise<boolean> {
  return name === STANDARD_PROMPT_NAME || (await prompts.names()).includes(name);
}

interface FilledTemplate {
  readonly text: string;
  /** Names of the variables that the template used. */
  readonly usedVariables: ReadonlySet<string>;
  /** One line for each unknown placeholder, which stays in the text unchanged. */
  readonly warnings: readonly string[];
}

/** Replaces each `{{name}}` with its value. Does not expand placeholders inside values. Cost: O(text). */
export function fillTemplate({ name, text }: PromptTemplate, values: ReadonlyMap<string, string>): FilledTemplate {
  const used = new Set<string>();
  const unknown = new Set<string>();
  const filled = text.replace(PLACEHOLDER, (whole, inner: string) => {
    const key = inner.trim();
    const value = values.get(key);
    if (value === undefined) unknown.add(whole);
    else used.add(key);
    return value ?? whole;
  });
  const warnings = [...unknown].map((placeholder) => {
    const variable = placeholder.slice(2, -2).trim();
    const near = variable === "" ? undefined : findNearest(variable, values.keys());
    const hint = near === undefined ? "" : `. Did you mean "{{${near}}}"?`;
    return `Prompt "${name}" holds ${placeholder}, which means nothing and stays as it is${hint}`;
  });
  return { text: filled, usedVariables: used, warnings };
}

/** Name of the default template, which `init` writes as `.planner/prompts/standard.md` for editing. */
export const STANDARD_PROMPT_NAME = "standard";

export const STANDARD_PROMPT = `---
name: standard
purpose: Work one spec from its text to a commit
---

# Work on {{spec.id}}: {{spec.title}}

You work in the project {{project.name}}. The spec is the file {{spec.path}}:

{{spec}}

## How

1. Read the spec wholly, then the files it names: {{spec.target_files}}
2. Do what it asks and nothing beside it.
3. Check a criterion (\`- [x]\`) when you have seen that it holds, not before. Do not reword or remove one.
4. Run the project's own checks.
5. Write what the spec asks for as an answer under \`## Output\`.

## Tools

The MCP server \`planner\` knows this spec. Without it, the command of the same name does the same.

- \`planner_spec_get\`: the spec as it is now. \`planner_search\`: specs about the same matter.
- \`planner_spec_update\`: append an output, or set a field. \`planner check {{spec.id}} <number>\`: check one criterion.
- \`planner_verify\`: the criteria that are still open. \`planner_lint\`: mistakes in the spec's file.
- \`planner_log\`: what earlier runs did.

Do not start, merge, pause or archive work: planner does that. If you cannot finish, leave the criterion open and say why.

## Commit

Commit with a message that begins \`planner({{spec.id}}):\`.
`;

/** Name of the template for splits, which a project may replace with `.planner/prompts/split.md`. */
export const SPLIT_PROMPT_NAME = "split";

/** Default start of the split prompt, for projects without their own. */
export const SPLIT_PROMPT = `# Split {{spec.id}}: {{spec.title}}

You work in the project {{project.name}}. The spec below is too large for one piece of work:

{{spec}}

Split it into members that can each be worked and verified alone. Look at the project's files first. Change nothing: your
answer is all that is asked for.

- Each member is one coherent change, small enough to be done in one go.
- Together they do all that the spec asks, and nothing beside it; no two do the same.
- A member depends on another one only where it cannot be worked before that is done.
- Each criterion says how somebody sees that the member is done. Where a command of the project can tell, name it as
  \`verify\`: a person accepts it before it runs.
`;

/** Required end of every split prompt; planner parses the answer in this format. */
export const SPLIT_ANSWER_FORMAT = `## Your answer

End with one JSON document in a fenced code block, and nothing behind it:

\`\`\`json
{
  "members": [
    {
      "title": "One line",
      "description": "What is to be done, in Markdown without headings of level 1",
      "acceptance_criteria": [{ "criterion": "What somebody sees when it is done", "verify": "npm test -- urls" }],
      "target_files": ["path/of/a/file.ts"],
      "depends_on": []
    }
  ]
}
\`\`\`

\`members\` has at least two entries. \`depends_on\` holds the numbers of other members, the first one being 1; they form no
circle. \`target_files\` may be left out; a criterion without a command is a plain text.
`;
