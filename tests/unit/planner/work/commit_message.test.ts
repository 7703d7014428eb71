import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { checkConfig } from "#planner/config/check_config.ts";
import { findJudgedFiles } from "#planner/runs/proof/edited_files.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { COMMIT_SUMMARIES, createCommitWriter, isSpecCommit } from "#planner/work/commit_message.ts";

const ID = "2026-11-01-001-aaa" as SpecId;
const SPEC = { id: ID, title: "Sell\n shoes" };
const DONE = COMMIT_SUMMARIES.completed(ID);

test.each([
  [null, `planner: ${DONE}`],
  ["AB-1 {id} {title}: {summary}", `AB-1 ${ID} Sell shoes: ${DONE}`],
  ["AB-1 {summary}", `AB-1 ${DONE}\n\nPlanner-Spec: ${ID}`],
  ["AB-1 {title}\n", `AB-1 Sell shoes\n\n${DONE}\n\nPlanner-Spec: ${ID}`],
  ["{id}\n\nRefs: AB-1", `${ID}\n\n${DONE}\n\nRefs: AB-1`],
  ["AB: {summary}\n\nRefs: AB-1", `AB: ${DONE}\n\nRefs: AB-1\nPlanner-Spec: ${ID}`],
  ["AB: {summary}\n\nbody", `AB: ${DONE}\n\nbody\n\nPlanner-Spec: ${ID}`],
])("the template %j is filled in", (template, message) => {
  expect(createCommitWriter(template, SPEC)(DONE)).toBe(message);
});

test.each(["AB: {summary}", "AB {title}", "AB: {summary}\n\nRefs: AB-1"])("git reads the trailer of %j", (template) => {
  const input = createCommitWriter(template, SPEC)("sell");

  const trailers = execFileSync("git", ["interpret-trailers", "--parse"], { input, encoding: "utf8" });

  expect(trailers.split("\n")).toContain(`Planner-Spec: ${ID}`);
});

test.each<readonly [string, string | null, boolean]>([
  [`planner(${ID}): sell`, null, true],
  [`planner(${ID}): sell`, "AB: {summary}", true],
  [`planner(${ID}.1): sell`, null, false],
  [`AB-1 sell\n\nPlanner-Spec: ${ID}`, null, true],
  [`AB-1 sell\n\nPlanner-Spec: ${ID}.1`, null, false],
  [`AB-1 sell (${ID})`, null, false],
  [`AB-1 sell (${ID})`, "{id} {summary}", true],
  [`AB-1 sell ${ID}.`, "{id} {summary}", true],
  [`AB-1 sell ${ID}.1, then ${ID}`, "{id} {summary}", true],
  [`AB-1 sell ${ID}.1`, "{id} {summary}", false],
  [`AB-1 sell ${ID}b`, "{id} {summary}", false],
])("the message %j with the template %j is work on the spec: %p", (message, template, expected) => {
  expect(isSpecCommit(message, ID, template)).toBe(expected);
});

test.each([null, "{id}", "AB {title}", "AB {id} {summary}", "AB {summary}"])(
  "planner's own commits are no work on the spec with the template %j",
  (template) => {
    const write = createCommitWriter(template, SPEC);
    const summaries = [COMMIT_SUMMARIES.ended(ID, "failed"), DONE, COMMIT_SUMMARIES.others];

    expect(summaries.map((summary) => isSpecCommit(write(summary), ID, template))).toEqual([false, false, false]);
  },
);

test.each(["{spec} {summary}", "a { b", " ", "a\u0000b", 7])("the setting refuses %j as a template", (template) => {
  const { errors } = checkConfig(`---\ngit: {commit_template: ${JSON.stringify(template)}}\n---\n`);

  expect(errors.map(({ message }) => message)).toEqual([
    `Invalid setting "git.commit_template": expected a text that is not empty, with no other braces than {id}, {title} and {summary}, got ${JSON.stringify(template)}`,
  ]);
});

const CHANGED = [
  "t/7.sh",
  "src/a.ts",
  "tests/deep/b.test.ts",
  "Makefile",
  "t/my test.sh",
  "tools",
  ".planner/specs/a.md",
];

test.each([
  ["sh t/7.sh", ["t/7.sh"]],
  ["sh ./t/7.sh && echo ok", ["t/7.sh"]],
  ["cd t; sh 7.sh", ["t/7.sh"]],
  ['bash "t/7.sh"', ["t/7.sh"]],
  ["sh t/?.sh", ["t/7.sh"]],
  ["X=t/7.sh sh t/8.sh", ["t/7.sh"]],
  ["sh t//./x/../7.sh", ["t/7.sh"]],
  ["sh $PWD/t/7.sh", ["t/7.sh"]],
  ["sh $(pwd)/t/7.sh", ["t/7.sh"]],
  ["sh t/'7'.sh", ["t/7.sh"]],
  ["bash -c 'sh t/{7,8}.sh'", ["t/7.sh"]],
  ["pytest t/7.sh::test_x", ["t/7.sh"]],
  ['sh "t/my test.sh"', ["t/my test.sh"]],
  ["sh t/my\\ test.sh", ["t/my test.sh"]],
  ["sh tools/run.sh", ["tools"]],
  ["ls t | while read f; do sh t/$f.sh; done", ["t/7.sh", "t/my test.sh"]],
  ["grep -l x *.md", []],
  ["npm test", []],
  ["sh t/70.sh", []],
  ["sh t/{6..8}.sh", ["t/7.sh"]],
  ["sh t/[6-8].sh", ["t/7.sh"]],
  ["sh t/[!6].sh", ["t/7.sh"]],
  // Text of other languages: classes that run backwards, brackets that stay open, quantifiers.
  ["grep -Pq '[\\w\\-.]+' f.txt", []],
  ["grep -E '[z-a]' src/*.ts", ["src/a.ts"]],
  ["awk '/[[:alpha:]]{2,}(/ { print $0 }' t/7.sh", ["t/7.sh", "t/my test.sh"]],
  ["perl -ne 'print if /(?<x>[^\\]]+)\\k<x>/u' Makefile", ["t/7.sh", "Makefile", "t/my test.sh"]],
  ["jq '.a[0] | {b: .c}' src/a.ts", ["src/a.ts"]],
  ["test \"$(sed -n 's/[^[]*{\\(.*\\)}/\\1/p' Makefile)\" = x", ["Makefile"]],
  ["node -e 'if (!/^[\\d-\\w]+$/.test(a[b])) throw {}'", []],
])("judgedFiles finds the files that %p names", (command, expected) => {
  expect(findJudgedFiles(command, CHANGED, [])).toEqual(expected);
});

const SETTINGS = [
  ...["package.json", "web/package.json", "package-lock.json", "vitest.config.ts", "Makefile", "build/rules.mk"],
  ...["pyproject.toml", "tests/conftest.py", "requirements.txt", "tsconfig.build.json", "Justfile", "Cargo.toml"],
  ...["Taskfile.yml", "docs/make.md", "src/package.ts", "uv.lock", "Cargo.lock", "go.mod", "go.sum", "a.lock"],
];

test.each([
  ["npm test", ["package.json", "web/package.json", "package-lock.json", "vitest.config.ts"]],
  ["CI=1 npm test -w web", ["package.json", "web/package.json", "package-lock.json", "vitest.config.ts"]],
  [
    "cd web && ../node_modules/.bin/vitest run",
    ["package.json", "web/package.json", "package-lock.json", "vitest.config.ts"],
  ],
  ["pnpm -r test", ["package.json", "web/package.json", "package-lock.json", "vitest.config.ts"]],
  ["make -C build check", ["Makefile", "build/rules.mk"]],
  ["python3 -m pytest -q", ["pyproject.toml", "tests/conftest.py", "uv.lock"]],
  ["uv run pytest", ["pyproject.toml", "tests/conftest.py", "uv.lock"]],
  [
    "npx tsc -p tsconfig.build.json",
    ["package.json", "web/package.json", "package-lock.json", "vitest.config.ts", "tsconfig.build.json"],
  ],
  ["just test", ["Justfile"]],
  ["task test", ["Taskfile.yml"]],
  ["cargo test", ["Cargo.toml", "Cargo.lock"]],
  ["sh run.sh", []],
  ["grep -q npm-test README.md", []],
  ["test -e out/makefile.txt", []],
  ["go test ./...", ["go.mod", "go.sum"]],
  ["ls go.d", []],
  ["./cargo.sh", []],
])("findJudgedFiles finds the files by which the programs of %p decide what to run", (command, expected) => {
  expect(findJudgedFiles(command, SETTINGS, [])).toEqual(expected);
});

test("findJudgedFiles takes files and folders that a pattern fits", () => {
  expect(findJudgedFiles("npm test", CHANGED, ["tests/**"])).toEqual(["tests/deep/b.test.ts"]);
  expect(findJudgedFiles("npm test", CHANGED, ["*.test.ts"])).toEqual(["tests/deep/b.test.ts"]);
  expect(findJudgedFiles("npm test", CHANGED, ["tests"])).toEqual(["tests/deep/b.test.ts"]);
  expect(findJudgedFiles("npm test", CHANGED, ["{src,lib}/*.ts"])).toEqual(["src/a.ts"]);
});

test("findJudgedFiles takes time linear in the words of a check and in a pattern", () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(" ");
  const long = `src/${"a".repeat(4000)}`;
  const stars = [
    "*a*a*a*a*a*a*a*a*b",
    "**/**/**/**/**/**/b",
    "{".repeat(2000),
    `${"{a,".repeat(2000)}a${"}".repeat(2000)}`,
  ];
  expect(findJudgedFiles(words, [long, "w1/w2"], stars)).toEqual(["w1/w2"]);
});
