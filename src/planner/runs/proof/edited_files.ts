import type { FolderState, Worktree } from "#planner/store/worktrees/open_worktree.ts";
import { compileGlob } from "../../config/glob.ts";
import { type AcceptableLine, type AcceptedCommands, buildCheckLines, isLineAccepted } from "../../work/acceptance.ts";
import type { EditedFile } from "../../work/provenance.ts";
import { type CriteriaJob, runChecks, runInFreshWorktree } from "../job.ts";
import type { LocatedJob, RunDeps } from "../run_types.ts";

/** The commit or branch whose version of the files decides whether a check passes. */
export interface CheckOrigin {
  /** Commit hash, or full name of a branch ref. */
  readonly from: string;
  /** Name of the commit or branch in messages. */
  readonly name: string;
}

/** Returns the main branch from which a worktree's branch began; null without a worktree. */
export function findWorktreeOrigin(worktree: Worktree | null): CheckOrigin | null {
  return worktree === null ? null : { from: `refs/heads/${worktree.mainBranch}`, name: worktree.mainBranch };
}

interface PassedChecks {
  readonly held: FolderState | null;
  /** Origin to compare with; null in the project's own folder. */
  readonly origin: CheckOrigin | null;
  readonly accepted: AcceptedCommands;
  /** Commands of the checks that succeeded with the branch's own files. */
  readonly commands: readonly string[];
}

interface CheckWithFiles {
  readonly command: string;
  readonly paths: readonly string[];
}

/**
 * Repeats each check that depends on files which the branch has changed, in a new worktree of the branch with the main
 * branch's version of these files. Only a check that passes with both versions proves something independent of the
 * branch's own changes to it.
 *
 * @returns the files without whose change a check fails
 */
export async function findEditedFiles(
  deps: RunDeps,
  judging: CriteriaJob & LocatedJob,
  { held, origin, accepted, commands }: PassedChecks,
): Promise<readonly EditedFile[]> {
  const commit = held?.commit ?? null;
  const { worktree } = judging.place;
  if (worktree === null || origin === null || held === null || commit === null) return [];
  const changed = held.changed.filter(({ isNew }) => !isNew).map(({ path }) => path);
  const touched = commands
    .map((command) => ({ command, paths: findJudgedFiles(command, changed, judging.config.verify.protect) }))
    .filter(({ paths }) => paths.length > 0);
  if (touched.length === 0) return [];
  const blobs = await worktree.readBlobHashes([...new Set(touched.flatMap(({ paths }) => paths))]);
  const createLine = (path: string): AcceptableLine => buildFileLine(path, blobs);
  const open = touched
    .map(({ command, paths }) => ({
      command,
      paths: paths.filter((path) => !isLineAccepted(accepted, createLine(path))),
    }))
    .filter(({ paths }) => paths.length > 0);
  if (open.length === 0) return [];
  const failed = await runChecksWithMainFiles(deps, judging, { origin, commit, open });
  return open.flatMap(({ command, paths }) => {
    const problem = failed.get(command);
    if (problem === undefined) return [];
    return paths.map((path) => ({ path, command, problem, line: createLine(path) }));
  });
}

/** Returns the files of a branch on which the checks of a body depend, as lines that a person can accept. */
export async function listChangedCheckFiles(
  worktree: Worktree | null,
  body: string,
  protect: readonly string[],
): Promise<readonly AcceptableLine[]> {
  if (worktree === null) return [];
  const { changed } = await worktree.holds();
  const paths = changed.filter(({ isNew }) => !isNew).map(({ path }) => path);
  const judged = [...new Set(buildCheckLines(body).flatMap(({ text }) => findJudgedFiles(text, paths, protect)))];
  const blobs = await worktree.readBlobHashes(judged);
  return judged.map((path) => buildFileLine(path, blobs));
}

/** Returns a line with the path and hash of a file, by which a person accepts this version of it. */
function buildFileLine(path: string, blobs: ReadonlyMap<string, string>): AcceptableLine {
  return { kind: "file", text: `${path} ${blobs.get(path) ?? "deleted"}` };
}

interface RepeatedChecks {
  readonly origin: CheckOrigin;
  readonly commit: string;
  readonly open: readonly CheckWithFiles[];
}

/** Runs the checks with the main branch's files. Returns the problems of failed checks, by command. */
function runChecksWithMainFiles(
  deps: RunDeps,
  judging: CriteriaJob,
  { origin, commit, open }: RepeatedChecks,
): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(open.flatMap((one) => one.paths))];
  return runInFreshWorktree(deps, judging, commit, async (fresh, worktree) => {
    await judging.log.line(`planner: the checks run again with ${paths.join(", ")} of "${origin.name}"`);
    await worktree.checkoutFiles(origin.from, paths);
    const commands = open.map(({ command }) => command);
    const results = await runChecks(deps, fresh, commands);
    return new Map(results.flatMap(({ command, problem }) => (problem === null ? [] : [[command, problem]])));
  });
}

const NODE_FILES =
  /^(?:package\.json|\.npmrc|\.mocharc\..+|(?:jest|vitest|karma|playwright|ava|cypress)\.config\..+|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/;
const PYTHON_FILES =
  /^(?:pyproject\.toml|pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|conftest\.py|noxfile\.py|(?:uv|poetry|pdm)\.lock|Pipfile\.lock)$/;
const MAKE_FILES = /^(?:GNUmakefile|makefile|Makefile|.+\.mk)$/;

/** Files by whose content a program decides what it runs, by the program's name. Lock files are among them. */
const PROGRAM_FILES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx", "node", "jest", "vitest", "mocha", "ava", "playwright"].map(
      (name) => [name, NODE_FILES],
    ),
  ),
  ...Object.fromEntries(
    ["pytest", "py.test", "tox", "nox", "python", "python3", "uv", "poetry", "hatch", "pdm"].map((name) => [
      name,
      PYTHON_FILES,
    ]),
  ),
  ...Object.fromEntries(["make", "gmake"].map((name) => [name, MAKE_FILES])),
  just: /^\.?[jJ]ustfile$/,
  task: /^[tT]askfile(?:\.dist)?\.ya?ml$/,
  rake: /^[rR]akefile(?:\.rb)?$/,
  rspec: /^\.rspec$/,
  deno: /^deno\.(?:jsonc?|lock)$/,
  composer: /^composer\.(?:json|lock)$/,
  cargo: /^Cargo\.(?:toml|lock)$/,
  go: /^go\.(?:mod|sum|work|work\.sum)$/,
  bundle: /^Gemfile(?:\.lock)?$/,
  phpunit: /^phpunit\.xml(?:\.dist)?$/,
  tsc: /^tsconfig(?:\..+)?\.json$/,
  eslint: /^(?:eslint\.config\..+|\.eslintrc.*|\.eslintignore)$/,
  biome: /^biome\.jsonc?$/,
};

/**
 * Returns the changed files on which a check depends: those that the command names, directly or below a folder that it
 * also names (`cd t && sh 7.sh`), those that match a glob in the command or in `verify.protect`, and those by which a
 * named program decides what to run (`package.json` for `npm test`). A named link or submodule includes everything
 * below it.
 *
 * @param changed paths from the project's root that the branch changes and the main branch has
 */
export function findJudgedFiles(
  command: string,
  changed: readonly string[],
  protect: readonly string[],
): readonly string[] {
  const words = splitPathWords(command);
  const named = new Set(words);
  const protects = protect.map(compileGlob);
  // In a loop the shell inserts the file name, as in `t/$f`.
  const expandedWords = words.map((word) => (/^[^$]+\//.test(word) ? word.replace(/\$(?:\{[^}]*\}|\w+)/g, "*") : word));
  const globs = expandedWords.filter((word) => /[*?[{]/.test(word)).map(compileGlob);
  const plain = removeQuotes(command);
  const programFiles = words.flatMap((word) => {
    const program = word.slice(word.lastIndexOf("/") + 1);
    return Object.hasOwn(PROGRAM_FILES, program) ? (PROGRAM_FILES[program] ?? []) : [];
  });
  const isNamed = (path: string): boolean =>
    named.has(path) ||
    isNamedBelowFolder(named, path) ||
    // Also matches files in another folder that the shell names, as in `$PWD/t/7.sh`, and files below a link.
    words.some((word) => word.endsWith(`/${path}`) || word.startsWith(`${path}/`)) ||
    programFiles.some((pattern) => pattern.test(path.slice(path.lastIndexOf("/") + 1))) ||
    (/\s/.test(path) && plain.includes(path));
  const matchesGlob = (path: string): boolean =>
    protects.some((matches) => matches(path)) ||
    // Globs do not match the spec itself, because every run changes it.
    (!path.startsWith(".planner/") && globs.some((matches) => matches(path)));
  return changed.filter((path) => isNamed(path) || matchesGlob(path));
}

/** Returns whether a folder and the rest of the path are both named, as in `cd t && sh 7.sh`. */
function isNamedBelowFolder(named: ReadonlySet<string>, path: string): boolean {
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    if (named.has(path.slice(0, at)) && named.has(path.slice(at + 1))) return true;
  }
  return false;
}

function splitPathWords(command: string): readonly string[] {
  const whole = removeQuotes(command).split(/[\s`;&|()<>]+/);
  const words = whole.flatMap((word) => [word, ...word.split(/[=,:]+/)]).map(normalizePath);
  return [...new Set(words)].filter((word) => word !== "");
}

function removeQuotes(command: string): string {
  return command.replace(/["'\\]/g, "");
}

/** Returns a path without `.`, `..` and empty segments: `./t//x/../7.sh` becomes `t/7.sh`. */
function normalizePath(word: string): string {
  const steps: string[] = [];
  for (const step of word.split("/")) {
    if (step === ".." && steps.length > 0 && steps.at(-1) !== "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return (word.startsWith("/") ? "/" : "") + steps.join("/");
}
