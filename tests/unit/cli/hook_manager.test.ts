import { expect, test } from "bun:test";
import { join } from "node:path";
import { detectHookManager, type HookManager } from "#cli/hook/manager.ts";
import { projectOfEachTest } from "../../support/test_project.ts";

const project = projectOfEachTest();

function manager(file: string, hook = ".git/hooks/pre-commit"): HookManager {
  if (file !== "") project.write(file, "");
  const found = detectHookManager(project.root, join(project.root, hook));
  if (found === null) throw new Error("no manager");
  return found;
}

test("detectHookManager returns null without a file of a manager", () => {
  expect(detectHookManager(project.root, join(project.root, ".git/hooks/pre-commit"))).toBeNull();
});

test.each([
  [".husky/_/pre-commit", ".husky/pre-commit"],
  [".husky/pre-commit", ".husky/pre-commit"],
])("findManager names the tracked file of husky, for the hook %s", (hook, file) => {
  expect(manager("", hook)).toMatchObject({ name: "husky", path: join(project.root, file), active: true });
});

const HUSKY_8 = '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\nnpm test\n';

test("husky's line goes behind what older versions read first, and away again", () => {
  const husky = manager("", ".husky/_/pre-commit");
  const added = husky.addCheck(HUSKY_8, ".");

  const lines = added?.split("\n") ?? [];
  expect(lines[2]).toContain('planner lint --staged --root "."');
  expect(lines.toSpliced(2, 1).join("\n")).toBe(HUSKY_8);
  expect([husky.hasCheck(HUSKY_8, "."), husky.hasCheck(added ?? "", "."), husky.hasCheck(added ?? "", "shop")]).toEqual(
    [false, true, false],
  );
  expect(husky.removeCheck(added ?? "", ".")).toBe(HUSKY_8);
  expect(husky.hasCheck("npx planner lint --staged\n", ".")).toBe(true);
});

const LEFTHOOK_FILES: readonly (readonly [name: string, text: string])[] = [
  ["an empty file", ""],
  ["comments alone", "# nothing yet\n"],
  ["another hook", "pre-push:\n  commands:\n    test:\n      run: npm test"],
  ["jobs", "pre-commit:\n  parallel: true # fast\n  jobs:\n    - run: npm test\n"],
  [
    "commands, indented by four",
    "pre-commit:\n    commands:\n        # checks\n        test:\n            run: npm test\n",
  ],
];

test.each(LEFTHOOK_FILES)("lefthook's file keeps every line, with %s", (_, text) => {
  const lefthook = manager("lefthook.yml");

  const added = lefthook.addCheck(text, ".") ?? "";

  const lines = text.trimEnd().split("\n").filter(Boolean);
  expect(lines.filter((line) => !added.split("\n").includes(line))).toEqual([]);
  expect(Bun.YAML.parse(added)).toMatchObject({
    ...(Bun.YAML.parse(text === "" || text.startsWith("#") ? "{}" : text) as object),
    "pre-commit": { commands: { planner: { run: expect.stringContaining('planner lint --staged --root "."') } } },
  });
  expect(lefthook.hasCheck(added, ".")).toBe(true);
  const removed = lefthook.removeCheck(added, ".") ?? "";
  expect(removed.trimEnd()).toBe(text.trimEnd());
});

test.each(["pre-commit: {commands: {a: {run: x}}}\n", "pre-commit:\n", "- a list\n", "broken: [\n"])(
  "lefthook's file is left to a person in the form %j",
  (text) => {
    expect(manager("lefthook.yml").addCheck(text, ".")).toBeNull();
  },
);

test.each([
  "repos:\n- repo: local\n  hooks: []\n",
  "# all\nrepos:\n    - repo: local # mine\n      hooks: []\nfail_fast: true\n",
])("pre-commit's configuration keeps every line of %j", (text) => {
  const framework = manager(".pre-commit-config.yaml");

  const added = framework.addCheck(text, "shop") ?? "";

  const { repos } = Bun.YAML.parse(added) as { repos: readonly { hooks: readonly object[] }[] };
  expect(repos[0]?.hooks[0]).toMatchObject({ id: "planner-shop-lint", always_run: true, pass_filenames: false });
  expect([framework.hasCheck(added, "shop"), framework.hasCheck(text, "shop")]).toEqual([true, false]);
  expect(framework.removeCheck(added, "shop")).toBe(text);
});

test("a path that the shell would read otherwise is refused", () => {
  expect(() => manager("lefthook.yml").addCheck("", 'a"$(b)')).toThrow(
    'Cannot write the path "a\\"$(b)"'.replaceAll("\\", ""),
  );
});
