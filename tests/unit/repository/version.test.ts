import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { REPOSITORY } from "../../support/source_code.ts";

const { version } = manifest;
const [debian, rpm] = [`_${version}_`, `-${version}-1.`];

/** What names this version, outside of `docs/deploy`, whose test compares it with the image. */
const NAMED: readonly (readonly [file: string, ...texts: string[]])[] = [
  ["package-lock.json", `"name": "planner",\n  "version": "${version}"`],
  ["src/cli/version.ts", `"${version}"`],
  ["action.yml", `default: "${version}"`],
  ["plugins/planner/.claude-plugin/plugin.json", `"version": "${version}"`],
  ["docs/ci/gitlab.yml", `ref: v${version}`, `PLANNER_VERSION: "${version}"`],
  ["docs/work.md", `OWNER/planner@v${version}`],
  [
    "docs/install.md",
    debian,
    rpm,
    `toolkit-${version}.tgz`,
    `planner-${version}-image.tar`,
    `planner-${version}-linux-x64`,
  ],
];

test.each(NAMED)("%s names the version of package.json", (file, ...texts) => {
  const text = readFileSync(join(REPOSITORY, file), "utf8");

  for (const one of texts) expect(text).toContain(one);
});

test("CHANGELOG.md has a section of the version, after the unreleased one if there is one", () => {
  const headings = [...readFileSync(join(REPOSITORY, "CHANGELOG.md"), "utf8").matchAll(/^## (\S+)/gm)].map(
    ([, name]) => name,
  );

  expect(headings.filter((name) => name !== "Unreleased")[0]).toBe(version);
});
