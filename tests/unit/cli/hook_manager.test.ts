import { expect, test } from "bun:test";
import { join } from "node:path";
import { detectHookManager, findGenerator, type HookManager } from "#cli/hook/manager.ts";
import { projectOfEachTest } from "../../support/test_project.ts";

const project = projectOfEachTest();

/** The entry that planner 0.3.0 wrote. */
const EARLIER_ENTRY = JSON.stringify(
  `sh -c 'if [ -z "$GIT_INDEX_FILE" ] && command -v planner >/dev/null 2>&1; then planner lint --root "."; exit; fi; git diff --cached --quiet -- "./.planner" || if command -v planner >/dev/null 2>&1; then planner lint --staged --root "."; else echo "planner is not on PATH, staged specs are not checked" >&2; fi'`,
);

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

const LEFTHOOK_NAMES = ["lefthook", ".lefthook", ".config/lefthook"].flatMap((name) =>
  ["yml", "yaml", "json", "jsonc", "toml"].map((ending) => [`${name}.${ending}`, "lefthook"] as const),
);

test.each([
  ...LEFTHOOK_NAMES,
  [".pre-commit-config.yaml", "pre-commit"],
  [".pre-commit-config.yml", "prek"],
  ["prek.toml", "prek"],
] as const)("the manager of %s is %s, and only YAML is edited", (file, name) => {
  const found = manager(file);
  const isEdited = /\.ya?ml$/.test(file) && name === "lefthook";

  expect([found.name, found.path]).toEqual([name, join(project.root, file)]);
  expect(found.addCheck("", ".") !== null).toBe(isEdited);
  expect(found.describeCheck(".")).toContain("planner lint --staged");
  expect([found.hasCheck("# planner lint\n", "."), found.isStale("", ".")]).toEqual([false, false]);
  if (file.endsWith(".toml")) expect(() => Bun.TOML.parse(found.describeCheck("shop"))).not.toThrow();
  if (/jsonc?$/.test(file)) expect(() => JSON.parse(found.describeCheck("shop"))).not.toThrow();
});

test.each([
  ["#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n", "pre-commit"],
  ["#!/bin/sh\n# File generated by prek: https://github.com/j178/prek\n", "prek"],
  ["#!/bin/sh\ncall_lefthook()\n{\n  lefthook run\n}\n", "lefthook"],
  ["#!/bin/sh\n# husky\n", "husky"],
  ['#!/bin/sh\n[ "$SKIP_SIMPLE_GIT_HOOKS" = "1" ] && exit 0\nnpx simple-git-hooks\n', "simple-git-hooks"],
  ["#!/usr/bin/env ruby\n# Entrypoint for Overcommit hook integration.\n", "Overcommit"],
  ["#!/bin/sh\nnpm test\n", null],
  ["#!/bin/sh\n# runs what pre-commit would run\nmake check\n", null],
  ["#!/bin/sh\npython -m black .\n", null],
  ["", null],
])("findGenerator reads in %j the manager %p", (hook, name) => {
  expect(findGenerator(hook)).toBe(name);
});

test("pre-commit's entry of an earlier version is written anew, one that a person edited is left", () => {
  const framework = manager(".pre-commit-config.yaml");
  const added = framework.addCheck("repos:\n- repo: local\n  hooks: []\n", ".") ?? "";
  const earlier = added
    .replace(/ {6}entry: .*\n/, `      entry: ${EARLIER_ENTRY}\n`)
    .replace("      verbose: true\n", "");

  expect(added).toContain("      verbose: true\n");
  expect(
    [added, earlier, earlier.replace("planner lint\n", "specs\n")].map((text) => framework.isStale(text, ".")),
  ).toEqual([false, true, false]);
  expect(framework.removeCheck(earlier, ".")).toBe("repos:\n- repo: local\n  hooks: []\n");
});

test("a path that the shell would read otherwise is refused", () => {
  expect(() => manager("lefthook.yml").addCheck("", 'a"$(b)')).toThrow(
    'Cannot write the path "a\\"$(b)"'.replaceAll("\\", ""),
  );
});
