import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProjectName } from "#cli/init/project_name.ts";

let parent: string;
let root: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "planner-name-"));
  root = join(parent, "the-folder");
  mkdirSync(root);
});

afterEach(() => rmSync(parent, { recursive: true }));

const CASES: readonly [file: string, text: string, name: string][] = [
  ["package.json", '{"name": "@scope/shop", "version": "1.0.0"}', "@scope/shop"],
  ["Cargo.toml", '[package]\nversion = "1"\nname = "crate-name"\n\n[dependencies]\nname = "no"\n', "crate-name"],
  ["pyproject.toml", '[build-system]\nname = "no"\n\n[project]\nname = "py-name"\n', "py-name"],
  ["go.mod", "module example.org/team/service\n\ngo 1.24\n", "service"],
  ["package.json", '{"name": 7}', "the-folder"],
  ["package.json", '{"name": ""}', "the-folder"],
  ["package.json", "{broken", "the-folder"],
  ["Cargo.toml", '[workspace]\nmembers = ["a"]\n', "the-folder"],
];

for (const [file, text, name] of CASES) {
  test(`projectName is "${name}" for ${file} with ${JSON.stringify(text).slice(0, 40)}`, () => {
    writeFileSync(join(root, file), text);

    expect(findProjectName(root)).toBe(name);
  });
}

test("projectName is the folder's name where nothing names the project", () => {
  expect(findProjectName(root)).toBe("the-folder");
});
