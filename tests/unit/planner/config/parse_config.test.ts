import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { parseConfig } from "#planner/config/parse_config.ts";

test("parseConfig gives configuration and warnings", () => {
  const { config, warnings } = parseConfig("---\nproject: {name: shop}\nmore: 1\n---\n");

  expect(config.project.name).toBe("shop");
  expect(warnings).toMatchObject([{ line: 3, column: 1 }]);
});

test("parseConfig refuses with the place of every error", () => {
  const text = "---\nproject: {name: 3}\nlint: none\n---\n";

  expect(() => parseConfig(text)).toThrow(OperationError);
  expect(() => parseConfig(text)).toThrow(
    [
      "Cannot read the configuration:",
      '.planner/config.md:2:17: Invalid setting "project.name": expected a text that is not empty, got 3',
      '.planner/config.md:3:7: Invalid setting "lint": expected keys with values below it, got "none"',
    ].join("\n"),
  );
});
