import { createTwoFilesPatch } from "diff";

/** Lines around a change, as git shows them. */
const CONTEXT_LINES = 3;

/**
 * The change of one file in the form that `git apply` and `patch -p1` take from the project root.
 *
 * @param file path from the project root
 */
export function unifiedDiff(file: string, before: string, after: string): string {
  const [from, to] = [`a/${file}`, `b/${file}`];
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, { context: CONTEXT_LINES });
  // The library's first line is a rule; git wants its own header where a path holds blanks.
  return `diff --git ${quoted(from)} ${quoted(to)}\n${patch.slice(patch.indexOf("\n") + 1)}`;
}

function quoted(path: string): string {
  return /["\\\s]/.test(path) ? JSON.stringify(path) : path;
}
