/**
 * Returns the changed files on which a check depends: those that the command names, directly or below a folder that it
 * also names (`cd t && sh 7.sh`), and those that match a glob in the command or in `verify.protect`. A named link or
 * submodule includes everything below it.
 *
 * @param changed paths from the project's root that the branch changes and the main branch has
 */
export function findJudgedFiles(
  command: string,
  changed: readonly string[],
  protect: readonly string[],
): readonly string[] {
  const words = splitPathWords(command);
  const named = new Set([...words, ...words.flatMap((folder) => words.map((word) => `${folder}/${word}`))]);
  const patterns = protect.map(convertGlob);
  // In a loop the shell inserts the file name, as in `t/$f`.
  const expandedWords = words.map((word) => (/^[^$]+\//.test(word) ? word.replace(/\$(?:\{[^}]*\}|\w+)/g, "*") : word));
  const globs = expandedWords.filter((word) => /[*?[{]/.test(word)).map(convertGlob);
  const isNamed = (path: string): boolean =>
    named.has(path) ||
    // Also matches files in another folder that the shell names, as in `$PWD/t/7.sh`, and files below a link.
    words.some((word) => word.endsWith(`/${path}`) || word.startsWith(`${path}/`)) ||
    (/\s/.test(path) && removeQuotes(command).includes(path));
  const matchesGlob = (path: string): boolean =>
    patterns.some((pattern) => pattern.test(path)) ||
    // Globs do not match the spec itself, because every run changes it.
    (!path.startsWith(".planner/") && globs.some((pattern) => pattern.test(path)));
  return changed.filter((path) => isNamed(path) || matchesGlob(path));
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

/** Converts a glob as git reads it. Without a slash it matches in every folder. A folder matches all files below it. */
function convertGlob(glob: string): RegExp {
  const plain = glob.replace(/^\/+|\/+$/g, "");
  const body = plain
    .split(/(\*\*\/|\*\*|\*|\?|\[[^\]]*\]|\{[^}]*\})/)
    .map((part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      if (/^\[[^\]\\]+\]$/.test(part)) return part.replace(/^\[!/, "[^");
      if (/^\{.*\}$/.test(part))
        return `(?:${part
          .slice(1, -1)
          .split(",")
          .map((text) => RegExp.escape(text))
          .join("|")})`;
      return RegExp.escape(part);
    })
    .join("");
  return new RegExp(`^${plain.includes("/") || glob.startsWith("/") ? "" : "(?:.*/)?"}${body}(?:/.*)?$`);
}
