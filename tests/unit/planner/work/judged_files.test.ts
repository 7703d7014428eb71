import { expect, test } from "bun:test";
import { findJudgedFiles } from "#planner/work/judged_files.ts";

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
])("judgedFiles finds the files that %p names", (command, expected) => {
  expect(findJudgedFiles(command, CHANGED, [])).toEqual(expected);
});

test("findJudgedFiles takes files and folders that a pattern fits", () => {
  expect(findJudgedFiles("npm test", CHANGED, ["tests/**"])).toEqual(["tests/deep/b.test.ts"]);
  expect(findJudgedFiles("npm test", CHANGED, ["*.test.ts"])).toEqual(["tests/deep/b.test.ts"]);
  expect(findJudgedFiles("npm test", CHANGED, ["tests"])).toEqual(["tests/deep/b.test.ts"]);
  expect(findJudgedFiles("npm test", CHANGED, ["{src,lib}/*.ts"])).toEqual(["src/a.ts"]);
});
