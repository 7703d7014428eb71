import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findStartedProgram, getSelfCommand, getSelfEnvironment } from "#runtime/self_command.ts";

test("getSelfCommand starts this program again", () => {
  const [program = "", ...args] = getSelfCommand();

  const { stdout } = spawnSync(program, [...args, "--version"], { encoding: "utf8" });

  expect(stdout).toStartWith("planner ");
});

test("getSelfEnvironment leaves out what would turn an executable into a plain Bun", () => {
  process.env["BUN_BE_BUN"] = "1";

  const environment = getSelfEnvironment();

  delete process.env["BUN_BE_BUN"];
  expect(environment["BUN_BE_BUN"]).toBeUndefined();
  expect(environment["PATH"]).toBe(process.env["PATH"] ?? "");
});

// Programs: `new` and `0.4/planner` exist, `0.3/planner` does not; `bin/planner` leads to 0.4, `dir/planner` is a folder.
test.each([
  ["as it was", "new", "new", [], "new"],
  ["as it was, called by its name", "new", "planner", ["bin"], "new"],
  ["as it was, and called by nothing that is there", "new", "gone", [], "new"],
  ["a program whose path ends in those words", "odd (deleted)", "odd", [], "odd (deleted)"],
  ["replaced", "new (deleted)", "new", [], "new"],
  ["replaced, called by its name", "new (deleted)", "planner", ["bin"], "new"],
  ["replaced, called by a path through a link", "0.4/planner (deleted)", "{}/bin/planner", [], "0.4/planner"],
  ["in a versioned folder that is gone, called by a link", "0.3/planner", "{}/bin/planner", [], "bin/planner"],
  ["the same, marked as deleted", "0.3/planner (deleted)", "{}/bin/planner", [], "bin/planner"],
  ["the same, called by its name", "0.3/planner", "planner", ["none", "bin"], "bin/planner"],
  [
    "the same with an empty entry and a folder of that name",
    "0.3/planner",
    "planner",
    ["", "dir", "bin"],
    "bin/planner",
  ],
  ["uninstalled", "0.3/planner", "{}/0.3/planner", ["bin"], null],
  ["uninstalled, called by its name", "0.3/planner (deleted)", "planner", ["none"], null],
  ["uninstalled, with a folder of that name", "0.3/planner", "planner", ["dir"], null],
  ["a link that leads nowhere", "0.3/planner", "{}/bin/broken", [], null],
])("the program that runs is found again: %s", (_name, started, called, folders, found) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "planner-program-")));
  for (const folder of ["0.4", "bin", "dir/planner"]) mkdirSync(join(home, folder), { recursive: true });
  for (const file of ["new", "odd (deleted)", "0.4/planner"]) {
    writeFileSync(join(home, file), "");
    chmodSync(join(home, file), 0o755);
  }
  symlinkSync("../0.4/planner", join(home, "bin", "planner"));
  symlinkSync("../0.3/planner", join(home, "bin", "broken"));
  const path = folders.map((folder) => (folder === "" ? "" : join(home, folder))).join(":");
  const find = () => findStartedProgram(join(home, started), called.replace("{}", home), path);

  if (found === null) expect(find).toThrow(`"${join(home, "0.3/planner")}" again: it is gone since this process began`);
  else expect(find()).toBe(join(home, found));

  rmSync(home, { recursive: true });
});
