import { compileGlob } from "../config/glob.ts";

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
