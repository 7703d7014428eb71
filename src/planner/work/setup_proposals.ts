/** A command that installs dependencies of a project, and the file that requires it. */
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
 * Returns the commands after which a project builds in a new worktree. Cargo, Go, Maven and Gradle download
 * dependencies themselves. Links nothing to the person's own folders, because an install in the worktree would empty
 * them.
 *
 * @param texts contents of those `LOCK_FILES` that are in the project's root
 */
export function proposeSetupCommands(texts: ReadonlyMap<string, string>): readonly SetupProposal[] {
  const found = INSTALLERS.flatMap(([files, command]): readonly SetupProposal[] => {
    const file = files.find((name) => texts.has(name));
    if (file === undefined) return [];
    return [{ file, command: typeof command === "string" ? command : command(texts.get(file) ?? "") }];
  });
  const hasPython = found.some(({ file }) => file === "uv.lock" || file === "poetry.lock");
  if (hasPython || !texts.has(REQUIREMENTS_FILE)) return found;
  return [...found, { file: REQUIREMENTS_FILE, command: REQUIREMENTS_COMMAND }];
}
