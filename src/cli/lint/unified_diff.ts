import { createTwoFilesPatch } from "diff";

/** Lines around a change, as git shows them. */
const CONTEXT_LINES = 3;

/**
 * The change of one file in the form that `git apply` and `patch -p1` take from the project root. Without git's own first
 * line: with it git would read the names from the repository's top, and skip those of a project in a folder of it.
 *
 * @param file path from the project root
 */
export function unifiedDiff(file: string, before: string, after: string): string {
  const names = [`a/${file}`, `b/${file}`] as const;
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, { context: CONTEXT_LINES });
  // The library begins with a rule, then names the files, quoted as git does it.
  const [, from = "", to = "", ...hunks] = patch.split("\n");
  return [ended(from), ended(to), ...hunks].join("\n");
}

/** A tab ends a name with blanks in it, for `patch` would end it at the first one. */
function ended(line: string): string {
  return line.includes(" ", "--- ".length) && !line.endsWith('"') ? `${line}\t` : line;
}
