import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

function buf(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/buf"), args, {
    cwd: ROOT,
    encoding: "utf8",
  });
  return { status, output: `${stdout}${stderr}` };
}

function sources(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && name !== "list_columns.ts",
  );
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("the proto files pass the linter's standard rules", () => {
  expect(buf("lint")).toEqual({ status: 0, output: "" });
});

test("the committed code is what the proto files generate", () => {
  const folder = mkdtempSync(join(tmpdir(), "planner-gen-"));

  const { status } = buf("generate", "--output", folder);

  expect(status).toBe(0);
  expect(sources(join(folder, "src/gen"))).toEqual(sources(join(ROOT, "src/gen")));
});
