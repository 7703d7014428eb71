import { expect, test } from "bun:test";
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
