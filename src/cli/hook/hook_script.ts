/** File name under which the earlier hook is kept, beside planner's. */
export const KEPT_HOOK = "pre-commit.before-planner";

export interface HookPlan {
  /** Arguments that start planner on this machine. */
  readonly command: readonly string[];
  /** Projects to check, as paths from the top of the working tree, `.` for the top itself. */
  readonly roots: readonly string[];
}

/** Shell line that skips a project without staged files. It runs no program that the repository's settings name. */
const SKIP_UNCHANGED_LINE =
  '  git -c core.fsmonitor=false diff --cached --quiet --no-ext-diff --no-textconv --ignore-submodules=dirty -- "$1/.planner" && return 0';

/** Form of that shell line in hooks of earlier versions of planner. */
const EARLIER_SKIP_UNCHANGED_LINE = '  git diff --cached --quiet -- "$1/.planner" && return 0';

const HOOK_MARK = "# planner-hook 1";

/**
 * Builds the pre-commit hook: a POSIX shell script, which git runs on every system, from the top of the working tree.
 * The earlier hook runs first and may reject the commit. The program that installed the hook is preferred to the one on
 * PATH, because graphical programs often commit with another PATH. If neither exists, the hook rejects the commit.
 */
export function buildHookScript({ command, roots }: HookPlan): string {
  const [program = ""] = command;
  return `#!/bin/sh
${HOOK_MARK}
# Checks the staged specs before each commit. \`planner hook install\` writes this file, \`planner hook uninstall\` takes it
# away; the hook that was here before is kept as ${KEPT_HOOK} and runs first.

kept="$(dirname "$0")/${KEPT_HOOK}"
if [ -x "$kept" ]; then
  "$kept" "$@" || exit $?
fi

program=${quoteWord(program)}
installed_planner() { ${command.map(quoteWord).join(" ")} "$@"; }

check() {
  [ -d "$1/.planner/specs" ] || return 0
${SKIP_UNCHANGED_LINE}
  if [ -x "$program" ]; then
    installed_planner lint --staged --root "$1"
  elif command -v planner >/dev/null 2>&1; then
    planner lint --staged --root "$1"
  else
    echo "Cannot check the staged specs: planner is neither at $program nor on PATH." >&2
    echo "Put it there and run \\\`planner hook install\\\`, or commit with --no-verify." >&2
    return 1
  fi
}

${roots.map((root) => `check ${quoteWord(root)} || exit $?`).join("\n")}
`;
}

/** Kind of an existing pre-commit file: another tool's, planner's but changed by hand, or planner's and unchanged. */
export type FoundHook =
  | { readonly kind: "foreign" }
  | { readonly kind: "changed" }
  | { readonly kind: "ours"; readonly roots: readonly string[]; readonly program: string; readonly stale: boolean };

/** Recognizes planner's hook and parses the projects that it checks. */
export function parseHook(text: string): FoundHook {
  if (!text.split("\n").includes(HOOK_MARK)) return { kind: "foreign" };
  const roots = [...text.matchAll(/^check ('.*') \|\| exit \$\?$/gm)].map(([, word = ""]) => unquoteWord(word));
  const written = text.replace(EARLIER_SKIP_UNCHANGED_LINE, () => SKIP_UNCHANGED_LINE);
  const same = removePathLines(buildHookScript({ command: [""], roots })) === removePathLines(written);
  const program = unquoteWord(/^program=('.*')$/m.exec(text)?.[1] ?? "''");
  return same ? { kind: "ours", roots, program, stale: written !== text } : { kind: "changed" };
}

/** Returns the script without the lines that contain planner's path. */
function removePathLines(script: string): string {
  return script.replace(/^(?:program=|installed_planner\(\)).*\n/gm, "");
}

/** Quotes a text as one shell word. Backslashes of Windows paths become `/`, because a shell would drop them. */
function quoteWord(text: string): string {
  const path = /^[A-Za-z]:\\/.test(text) ? text.replaceAll("\\", "/") : text;
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function unquoteWord(word: string): string {
  return word.slice(1, -1).replaceAll(`'\\''`, "'");
}
