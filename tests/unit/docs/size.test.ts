import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sourceSize } from "../../support/source_size.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/architecture.md"), "utf8");

/** Counts whose stated number is a ceiling: a change that exceeds it takes lines away elsewhere first. */
const CEILINGS: ReadonlySet<string> = new Set(["lines of src", "files of src", "circles of imports", "lines of tests"]);

function statedCount(name: string): number {
  return Number(new RegExp(`^\\| ${name} \\| ([\\d,]+) \\|$`, "m").exec(page)?.[1]?.replaceAll(",", ""));
}

test.each(Object.entries(sourceSize()))("docs/architecture.md states the %s: %p", (name, count) => {
  const stated = statedCount(name);

  if (CEILINGS.has(name)) expect([name, count, count <= stated]).toEqual([name, count, true]);
  // A ceiling follows the size down.
  expect(Math.abs(count - stated)).toBeLessThanOrEqual((CEILINGS.has(name) ? 0.005 : 0.02) * count);
});
