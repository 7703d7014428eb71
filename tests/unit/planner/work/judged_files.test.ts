import { expect, test } from "bun:test";
import { judgedFiles } from "#planner/work/judged_files.ts";

const CHANGED = ["t/7.sh", "src/a.ts", "tests/deep/b.test.ts", "Makefile"];

test.each([
  ["sh t/7.sh", ["t/7.sh"]],
  ["sh ./t/7.sh && echo ok", ["t/7.sh"]],
  ["cd t; sh 7.sh", ["t/7.sh"]],
  ['bash "t/7.sh"', ["t/7.sh"]],
  ["sh t/*.sh", ["t/7.sh"]],
  ["X=t/7.sh sh t/8.sh", ["t/7.sh"]],
  ["npm test", []],
  ["sh t/70.sh", []],
])("judgedFiles finds the files that %p names", (command, expected) => {
  expect(judgedFiles(command, CHANGED, [])).toEqual(expected);
});

test("judgedFiles takes files and folders that a pattern fits", () => {
  expect(judgedFiles("npm test", CHANGED, ["tests/**"])).toEqual(["tests/deep/b.test.ts"]);
  expect(judgedFiles("npm test", CHANGED, ["*.test.ts"])).toEqual(["tests/deep/b.test.ts"]);
  expect(judgedFiles("npm test", CHANGED, ["tests"])).toEqual(["tests/deep/b.test.ts"]);
  expect(judgedFiles("npm test", CHANGED, ["{src,lib}/*.ts"])).toEqual(["src/a.ts"]);
});
