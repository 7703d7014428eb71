import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { getSelfCommand, getSelfEnvironment } from "../../../src/runtime/self_command.ts";

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
