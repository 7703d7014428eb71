/**
 * The changed files by which a check judges: those that the command names as words, alone or below a folder that it
 * names as well (`cd t && sh 7.sh`), and those that a pattern of `verify.protect` fits.
 *
 * @param changed paths from the project's root that the branch changes and the main branch has
 */
export function judgedFiles(
  command: string,
  changed: readonly string[],
  protect: readonly string[],
): readonly string[] {
  const words = wordsOf(command);
  const named = new Set([...words, ...words.flatMap((folder) => words.map((word) => `${folder}/${word}`))]);
  const patterns = [...words.filter((word) => /[*?[{]/.test(word)), ...protect].map(patternOf);
  return changed.filter((path) => named.has(path) || patterns.some((pattern) => pattern.test(path)));
}

function wordsOf(command: string): readonly string[] {
  return command
    .split(/[\s"'`;&|()<>=,:]+/)
    .map((word) => word.replace(/^(?:\.\/)+/, "").replace(/\/+$/, ""))
    .filter((word) => word !== "" && word !== ".");
}

/** A glob as git has it: one without a slash fits in every folder, and one that names a folder fits all below it. */
function patternOf(glob: string): RegExp {
  const plain = glob.replace(/^\/+|\/+$/g, "");
  const body = plain
    .split(/(\*\*\/|\*\*|\*|\?|\[[^\]]*\]|\{[^}]*\})/)
    .map((part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      if (/^\[[^\]\\]+\]$/.test(part)) return part.replace(/^\[!/, "[^");
      if (/^\{.*\}$/.test(part)) return `(?:${part.slice(1, -1).split(",").map(escapePattern).join("|")})`;
      return escapePattern(part);
    })
    .join("");
  return new RegExp(`^${plain.includes("/") || glob.startsWith("/") ? "" : "(?:.*/)?"}${body}(?:/.*)?$`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
