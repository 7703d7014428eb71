import { expect, test } from "bun:test";
import { footprint } from "../../../support/footprint.ts";

/**
 * Ours: what a run needs, two of them for its record, one for the commit that names the repository, two of a version's
 * first command in a project, and ten to compare the whole repository before and after it.
 */
const MOST_GITS = 29;

/** Ours, a little above what it takes: whoever reads a run has to hold it in the head. See docs/performance.md. */
const MOST_FILES = 165;
const MOST_FUNCTIONS = 1295;

test("one spec from its claim to its end takes a bounded number of gits, files and functions", async () => {
  const { functions, gits, status } = await footprint();

  expect(status).toBe("completed");
  expect(gits.length > MOST_GITS ? gits : []).toEqual([]);
  expect(functions.size).toBeLessThanOrEqual(MOST_FILES);
  expect([...functions.values()].flat().length).toBeLessThanOrEqual(MOST_FUNCTIONS);
  // Far fewer would mean that the profile is not read any more.
  expect(functions.size).toBeGreaterThan(80);
});
