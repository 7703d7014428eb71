import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { proposeWorktreeSetup } from "#cli/init/decide_setup.ts";
import { tempProject } from "../../../support/temp_project.ts";

for (const [file, text, command] of [
  ["package-lock.json", "{}", "npm ci --prefer-offline"],
  ["pnpm-lock.yaml", "", "pnpm install --frozen-lockfile --prefer-offline"],
  ["yarn.lock", "# yarn lockfile v1\n", "yarn install --frozen-lockfile"],
  ["yarn.lock", "__metadata:\n", "yarn install --immutable"],
  ["bun.lock", "{}", "bun install --frozen-lockfile"],
  ["uv.lock", "", "uv sync --frozen"],
  ["poetry.lock", "", "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install"],
  ["Gemfile.lock", "", "bundle install"],
  ["requirements.txt", "x\n", "python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt"],
] as const) {
  test(`proposeSetup knows ${file}: ${command}`, () => {
    using project = tempProject();
    project.write(file, text);

    expect(proposeWorktreeSetup(project.root)).toEqual([{ file, command }]);
  });
}

test("proposeSetup proposes nothing for what fetches by itself, and each kind of a mixed project", () => {
  using project = tempProject();
  for (const file of ["Cargo.lock", "go.sum", "pom.xml", "build.gradle"]) project.write(file, "");
  expect(proposeWorktreeSetup(project.root)).toEqual([]);

  for (const file of ["package-lock.json", "uv.lock", "requirements.txt"]) project.write(file, "");
  expect(proposeWorktreeSetup(project.root).map(({ file }) => file)).toEqual(["package-lock.json", "uv.lock"]);
});

const APP = "packages/app";

// The project lies in packages/app of a repository.
test.each([
  ["npm at the top", { "package-lock.json": "{}" }, ["(cd ../.. && npm ci --prefer-offline)"]],
  ["npm in the project", { [`${APP}/package-lock.json`]: "{}" }, ["npm ci --prefer-offline"]],
  ["the nearer of two", { "package-lock.json": "{}", [`${APP}/package-lock.json`]: "{}" }, ["npm ci --prefer-offline"]],
  ["in between", { "packages/yarn.lock": "__metadata:\n" }, ["(cd .. && yarn install --immutable)"]],
  [
    "pnpm",
    { "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "" },
    ["(cd ../.. && pnpm install --frozen-lockfile --prefer-offline)"],
  ],
  ["yarn 1", { "yarn.lock": "# yarn lockfile v1\n" }, ["(cd ../.. && yarn install --frozen-lockfile)"]],
  ["bun", { "bun.lock": "{}" }, ["(cd ../.. && bun install --frozen-lockfile)"]],
  ["uv", { "uv.lock": "" }, ["(cd ../.. && uv sync --frozen)"]],
  [
    "uv in the project, npm at the top",
    { [`${APP}/uv.lock`]: "", "package-lock.json": "{}" },
    ["uv sync --frozen", "(cd ../.. && npm ci --prefer-offline)"],
  ],
  [
    "poetry in the project, requirements at the top",
    { [`${APP}/poetry.lock`]: "", "requirements.txt": "x\n" },
    ["POETRY_VIRTUALENVS_IN_PROJECT=true poetry install"],
  ],
  [
    "another manager at the top",
    { [`${APP}/pnpm-lock.yaml`]: "", "package-lock.json": "{}" },
    ["pnpm install --frozen-lockfile --prefer-offline"],
  ],
  ["cargo and go at the top", { "Cargo.lock": "", "go.work": "", "go.work.sum": "" }, []],
  ["nothing", {}, []],
  ["beside the project", { "packages/web/package-lock.json": "{}" }, []],
  ["below the project", { [`${APP}/sub/package-lock.json`]: "{}" }, []],
  ["above the repository", { "../package-lock.json": "{}" }, []],
])("proposeSetup looks up to the repository's top: %s", (_name, files, commands) => {
  using outer = tempProject();
  mkdirSync(join(outer.root, "repo", ".git"), { recursive: true });
  mkdirSync(join(outer.root, "repo", APP), { recursive: true });
  for (const [file, text] of Object.entries(files)) outer.write(join("repo", file), text);

  expect(proposeWorktreeSetup(join(outer.root, "repo", APP)).map(({ command }) => command)).toEqual(commands);
});
