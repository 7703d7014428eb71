import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONFIG } from "#planner/config/default_config.ts";
import { describeSettings, listSettingPaths } from "#planner/config/describe_settings.ts";

const DOCS = readFileSync(join(import.meta.dirname, "../../../../docs/config.md"), "utf8");

test("describeSettings has every setting of the schema and no other", () => {
  const paths = describeSettings().map(({ path }) => path);

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.toSorted()).toEqual([...listSettingPaths()].toSorted());
});

test("docs/config.md has a row for every setting", () => {
  const rows = [...DOCS.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key = ""]) => key);

  expect(rows.toSorted()).toEqual([...listSettingPaths()].toSorted());
});

test("describeSettings says the value and the default that hold", () => {
  const of = (path: string) => describeSettings().find((setting) => setting.path === path);

  expect(of("watch.max_retries")).toMatchObject({ default: DEFAULT_CONFIG.watch.max_retries });
  expect(of("watch.poll_interval_ms")?.value).toBe("a whole number of at least 10");
  expect(of("defaults.model")?.default).toBeNull();
});
