import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROMISES } from "./promises.ts";

test("every promise is proven by a test", () => {
  const folder = join(import.meta.dirname, "..");
  const tests = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");

  const unproven = Object.keys(PROMISES).filter((id) => !tests.includes(`verifies("${id}"`));

  expect(unproven).toEqual([]);
});
