import { expect, test } from "bun:test";
import { join } from "node:path";
import { runCommand } from "../support/planner_command.ts";

const ROOT = join(import.meta.dirname, "..", "..");

test("the day of examples/ goes as told: add, work by two agents, review, send back, accept, pull request", async () => {
  const { code, stdout, stderr } = await runCommand([process.execPath, "examples/day.mjs"], { cwd: ROOT });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toEndWith("Every command ended as expected.\n");
  expect(stdout.match(/^\$ planner \w+/gm)?.join()).toBe(
    ["add", "add", "approve", "work", "review", "review", "work", "review", "review", "pr", "status", "pr"]
      .map((name) => `$ planner ${name}`)
      .join(),
  );
});
