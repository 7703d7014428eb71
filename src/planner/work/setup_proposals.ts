import { quoteShellWord } from "#words/quoting.ts";

/** A command that installs dependencies of a project, and the file that requires it, as a path from the project. */
export interface SetupProposal {
  readonly file: string;
  readonly command: string;
}

/** Commands that install exactly what a lock file lists, from caches if the tool has them. */
const INSTALLERS: readonly (readonly [files: readonly string[], command: string | ((text: string) => string)])[] = [
  [["package-lock.json", "npm-shrinkwrap.json"], "npm ci --prefer-offline"],
  [["pnpm-lock.yaml"], "pnpm install --frozen-lockfile --prefer-offline"],
  [["yarn.lock"], (text) => `yarn install ${text.includes("yarn lockfile v1") ? "--frozen-lockfile" : "--immutable"}`],
  [["bun.lock", "bun.lockb"], "bun install --frozen-lockfile"],
  [["uv.lock"], "uv sync --frozen"],
  [["poetry.lock"], "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install"],
  [["Gemfile.lock"], "bundle install"],
];

/** Dependency list of a Python project without a lock file. */
const REQUIREMENTS_FILE = "requirements.txt";

const REQUIREMENTS_COMMAND = "python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt";

/** Names of the files that list a project's dependencies. */
export const LOCK_FILES: readonly string[] = [...INSTALLERS.flatMap(([files]) => files), REQUIREMENTS_FILE];

/**
 * Returns the commands that install what the lock files of the project and of the folders above it list. A tool that
 * finds a lock file nearer does not look further up, so that the nearest one counts for each tool.
 *
 * @param folders contents of `LOCK_FILES` by name, in the project's root, then in each folder above it up to the
 *   repository's top
 */
export function proposeSetup(folders: readonly ReadonlyMap<string, string>[]): readonly SetupProposal[] {
  const found: SetupProposal[] = [];
  const tools = new Set<string>();
  for (const [depth, texts] of folders.entries()) {
    const up = Array.from({ length: depth }, () => "..").join("/");
    const isNew = ({ file }: SetupProposal) => !tools.has(getLanguage(file));
    const here = proposeSetupCommands(texts).filter(isNew);
    for (const { file, command } of here) {
      tools.add(getLanguage(file));
      // The parentheses keep the folder of the commands that follow.
      found.push(
        depth === 0
          ? { file, command }
          : { file: `${up}/${file}`, command: `(cd ${quoteShellWord(up)} && ${command})` },
      );
    }
  }
  return found;
}

/** Returns the language whose packages a lock file lists: a nearer file of any of its tools counts. */
function getLanguage(file: string): string {
  if (file === "Gemfile.lock") return "ruby";
  return file === "uv.lock" || file === "poetry.lock" || file === REQUIREMENTS_FILE ? "python" : "javascript";
}

/**
 * Returns the commands after which a project builds in a new worktree. Cargo, Go, Maven and Gradle download
 * dependencies themselves. Links nothing to the person's own folders, because an install in the worktree would empty
 * them.
 *
 * @param texts contents of those `LOCK_FILES` that are in the project's root
 */
function proposeSetupCommands(texts: ReadonlyMap<string, string>): readonly SetupProposal[] {
  const found = INSTALLERS.flatMap(([files, command]): readonly SetupProposal[] => {
    const file = files.find((name) => texts.has(name));
    if (file === undefined) return [];
    return [{ file, command: typeof command === "string" ? command : command(texts.get(file) ?? "") }];
  });
  const hasPython = found.some(({ file }) => file === "uv.lock" || file === "poetry.lock");
  if (hasPython || !texts.has(REQUIREMENTS_FILE)) return found;
  return [...found, { file: REQUIREMENTS_FILE, command: REQUIREMENTS_COMMAND }];
}
