import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sourceSize } from "../../support/source_size.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/architecture.md"), "utf8");

test.each(Object.entries(sourceSize()))("docs/architecture.md states the %s within 2 %%: %p", (name, count) => {
  const stated = Number(new RegExp(`^\\| ${name} \\| ([\\d,]+) \\|$`, "m").exec(page)?.[1]?.replaceAll(",", ""));

  expect(Math.abs(count - stated)).toBeLessThanOrEqual(0.02 * count);
});
