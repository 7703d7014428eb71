import { createPreconditionError } from "#kernel/errors.ts";
import { MAX_CONTEXT_CHARS, MAX_CONTEXT_FILE_BYTES } from "../../limits.ts";
import type { PromptStore } from "../../ports.ts";
import type { Spec } from "../../spec/spec.ts";

export interface PromptContext {
  /** A heading and a code block for each file; empty without files. */
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Returns the paths in a spec's `context` field. */
export function listContextPaths({ frontmatter }: Spec): readonly string[] {
  const listed = frontmatter["context"];
  const paths = Array.isArray(listed) ? listed : [listed];
  return [...new Set(paths.filter((path): path is string => typeof path === "string" && path !== ""))];
}

/**
 * Reads a spec's context files. Replaces a missing or binary file with a note, and adds a note after a truncated file.
 *
 * @throws OperationError `failed_precondition` for a path outside of the project
 */
export async function readPromptContext(prompts: PromptStore, spec: Spec): Promise<PromptContext> {
  const blocks: string[] = [];
  const warnings: string[] = [];
  let room = MAX_CONTEXT_CHARS;
  for (const path of listContextPaths(spec)) {
    const { content, problem } = await readContextFile(prompts, path, Math.min(room, MAX_CONTEXT_FILE_BYTES));
    room -= content.length;
    blocks.push(`### ${path}\n\n${content}`);
    if (problem !== null) warnings.push(`Context file "${path}": ${problem}`);
  }
  return { text: blocks.join("\n\n"), warnings };
}

interface ContextContent {
  readonly content: string;
  readonly problem: string | null;
}

async function readContextFile(prompts: PromptStore, path: string, room: number): Promise<ContextContent> {
  if (room <= 0) return buildProblemContent("left out, the files before it fill the prompt");
  const read = await prompts.readProjectFile(path, room);
  if (read.kind === "outside") {
    throw createPreconditionError(`Cannot read context file "${path}": it lies outside the project`);
  }
  if (read.kind === "none") return buildProblemContent(read.why);
  const block = fenceText(read.text, path);
  if (read.whole) return { content: block, problem: null };
  const cut = `only its first ${new TextEncoder().encode(read.text).length} bytes are here`;
  return { content: `${block}\n\n(${cut})`, problem: cut };
}

function buildProblemContent(problem: string): ContextContent {
  return { content: `(${problem})`, problem };
}

/** Returns a code block with a fence longer than any in the text, so that the text cannot close it. */
function fenceText(text: string, path: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const [, language = ""] = /\.([A-Za-z0-9]+)$/.exec(path) ?? [];
  return `${fence}${language}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`;
}
