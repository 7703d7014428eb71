import { resolve } from "node:path";
import type { CommandTable } from "../commands.ts";
import { print } from "../output/print.ts";
import { type Candidate, completionAt } from "./candidates.ts";

/**
 * Prints candidates for a completion script: one per line, with a tab and its summary; `:file` or `:directory` if the
 * shell completes the word. Errors give no candidates, because completion shows no errors.
 *
 * @param words the words after the program's name up to the cursor
 */
export async function printCompletion(table: CommandTable, words: readonly string[], cwd: string): Promise<void> {
  const completion = await completionAt(table, words);
  const current = words.at(-1) === "=" ? "" : (words.at(-1) ?? "");
  if (completion.kind === "file" || completion.kind === "directory") return print(`:${completion.kind}\n`);
  if (completion.kind === "words")
    return print(lines(completion.candidates.filter(({ word }) => word.startsWith(current))));
  const context = await openQuietly(cwd, words);
  if (context === undefined) return;
  const { specCandidates } = await import("./spec_candidates.ts");
  print(lines(await specCandidates(context, current, completion.kind === "archived_spec")));
}

async function openQuietly(cwd: string, words: readonly string[]) {
  const at = words.indexOf("--root");
  const root = at === -1 ? undefined : words[at + 1];
  const { openPlanner } = await import("../compose.ts");
  const context = await openPlanner({ cwd, ...(root === undefined ? {} : { root: resolve(cwd, root) }) });
  return (await context.initialised()) ? context : undefined;
}

function lines(candidates: readonly Candidate[]): string {
  return candidates.map(({ word, summary }) => `${word}\t${summary}\n`).join("");
}
