import { resolve } from "node:path";
import type { PlannerContext } from "#planner/context.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { CommandTable } from "../commands.ts";
import { sanitizeLine } from "../output/plain_text.ts";
import { print } from "../output/print.ts";
import { type Candidate, completeWords } from "./candidates.ts";

/**
 * Prints candidates for a completion script: one per line, with a tab and its summary; `:file` or `:directory` if the
 * shell completes the word. Outside a project there are no specs to complete.
 * @param words the words after the program's name up to the cursor
 */
export async function printCompletion(table: CommandTable, words: readonly string[], cwd: string): Promise<void> {
  const completion = await completeWords(table, words);
  const current = words.at(-1) === "=" ? "" : (words.at(-1) ?? "");
  if (completion.kind === "file" || completion.kind === "directory") return print(`:${completion.kind}\n`);
  if (completion.kind === "words")
    return print(formatCandidates(completion.candidates.filter(({ word }) => word.startsWith(current))));
  const context = await openContextQuietly(cwd, words);
  if (context === undefined) return;
  print(formatCandidates(await listSpecCandidates(context, current, completion.kind === "archived_spec")));
}

async function openContextQuietly(cwd: string, words: readonly string[]) {
  const at = words.indexOf("--root");
  const root = at === -1 ? undefined : words[at + 1];
  const { openPlanner } = await import("../compose.ts");
  const context = await openPlanner({ cwd, ...(root === undefined ? {} : { root: resolve(cwd, root) }) });
  return (await context.isInitialised()) ? context : undefined;
}

function formatCandidates(candidates: readonly Candidate[]): string {
  return candidates.map(({ word, summary }) => `${word}\t${summary}\n`).join("");
}

/** Maximum number of specs whose titles are read, because reading every spec would delay the completion. */
const MAX_TITLES = 30;

/**
 * Returns the ids that begin with the given text or, if none does, those that contain it, because commands accept
 * partial ids. Omits ids with characters that a shell interprets. Cost: a listing of the folder, and one file per
 * candidate for its title unless there are many.
 */
async function listSpecCandidates(
  context: PlannerContext,
  current: string,
  archived: boolean,
): Promise<readonly Candidate[]> {
  const all = [...(await context.specs.listIds()), ...(archived ? await context.specs.listArchivedIds() : [])];
  const ids = all.filter((id) => /^[\w.+-]+$/.test(id));
  const begun = ids.filter((id) => id.startsWith(current));
  const found = begun.length > 0 ? begun : ids.filter((id) => id.includes(current));
  if (found.length > MAX_TITLES) return found.map((word) => ({ word, summary: "" }));
  return Promise.all(found.map(async (word) => ({ word, summary: await readSpecTitle(context, word) })));
}

async function readSpecTitle(context: PlannerContext, id: SpecId): Promise<string> {
  try {
    return sanitizeLine((await context.specs.load(id)).title ?? "");
  } catch {
    // A file that cannot be read still has an id to complete.
    return "";
  }
}
