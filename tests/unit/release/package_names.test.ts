import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../../support/source_code.ts";

/** What people copy and what pipelines run. */
const PLACES = "README.md action.yml .pre-commit-hooks.yaml .github docs plugins examples release".split(" ");
/** npm's package `planner` belongs to another person. */
const RUNS_ANOTHERS =
  /\b(?:npx(?: --?\S+)*|npm (?:i|install|exec)(?: --?\S+)*|bunx|pnpm dlx|yarn dlx) ["']?planner(?![\w-])/;

function filesBelow(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile());
}

test("no document, workflow or action runs or installs npm's package planner", () => {
  const found = PLACES.flatMap((place) => filesBelow(join(REPOSITORY, place))).filter((path) =>
    RUNS_ANOTHERS.test(readFileSync(path, "utf8")),
  );

  expect(found).toEqual([]);
  expect("npx --yes planner lint").toMatch(RUNS_ANOTHERS);
  expect("npm install --global planner").toMatch(RUNS_ANOTHERS);
});
