import { createTwoFilesPatch } from "diff";

/** Lines around a change, as git shows them. */
const CONTEXT_LINES = 3;

/**
 * The change of one file in the form that `git apply` and `patch -p1` take from the project root.
 *
 * @param file path from the project root
 */
export function unifiedDiff(file: string, before: string, after: string): string {
  const names = [`a/${file}`, `b/${file}`] as const;
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, { context: CONTEXT_LINES });
  // The library begins with a rule, then names the files, quoted as git does it.
  const [, from = "", to = "", ...hunks] = patch.split("\n");
  return [`diff --git ${nameIn(from)} ${nameIn(to)}`, ended(from), ended(to), ...hunks].join("\n");
}

function nameIn(line: string): string {
  return line.slice("--- ".length);
}

/** A tab ends a name with blanks in it, for `patch` would end it at the first one. */
function ended(line: string): string {
  return nameIn(line).includes(" ") && !line.endsWith('"') ? `${line}\t` : line;
}
