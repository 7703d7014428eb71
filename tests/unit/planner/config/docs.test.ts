import { expect, test } from "bun:test";
import { describeSettings, listSettingPaths } from "#planner/config/describe_settings.ts";

test("describeSettings has every setting of the schema and no other", () => {
  const paths = describeSettings().map(({ path }) => path);

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.toSorted()).toEqual([...listSettingPaths()].toSorted());
});
