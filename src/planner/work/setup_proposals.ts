/** A command that installs what a project needs, and the file that asks for it. */
export interface Proposal {
  readonly file: string;
  readonly command: string;
}

/** Installs what a lock file says and nothing else; from caches if the tool has them. */
const INSTALLERS: readonly (readonly [files: readonly string[], command: string | ((text: string) => string)])[] = [
  [["package-lock.json", "npm-shrinkwrap.json"], "npm ci --prefer-offline"],
  [["pnpm-lock.yaml"], "pnpm install --frozen-lockfile --prefer-offline"],
  [["yarn.lock"], (text) => `yarn install ${text.includes("yarn lockfile v1") ? "--frozen-lockfile" : "--immutable"}`],
  [["bun.lock", "bun.lockb"], "bun install --frozen-lockfile"],
  [["uv.lock"], "uv sync --frozen"],
  [["poetry.lock"], "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install"],
  [["Gemfile.lock"], "bundle install"],
];

/** A Python project without a lock file. */
const REQUIREMENTS = "requirements.txt";
const REQUIREMENTS_COMMAND = "python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt";

/** The files that say what a project needs. */
export const LOCK_FILES: readonly string[] = [...INSTALLERS.flatMap(([files]) => files), REQUIREMENTS];

/**
 * The commands that make a fresh worktree of a project build. Cargo, Go, Maven and Gradle fetch by themselves. Nothing is
 * ever linked to the person's own folders: an install in the worktree would empty them.
 *
 * @param texts of those of `LOCK_FILES` that are in the project's root
 */
export function proposeSetup(texts: ReadonlyMap<string, string>): readonly Proposal[] {
  const found = INSTALLERS.flatMap(([files, command]): readonly Proposal[] => {
    const file = files.find((name) => texts.has(name));
    if (file === undefined) return [];
    return [{ file, command: typeof command === "string" ? command : command(texts.get(file) ?? "") }];
  });
  const hasPython = found.some(({ file }) => file === "uv.lock" || file === "poetry.lock");
  if (hasPython || !texts.has(REQUIREMENTS)) return found;
  return [...found, { file: REQUIREMENTS, command: REQUIREMENTS_COMMAND }];
}
