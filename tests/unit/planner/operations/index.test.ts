import { expect, test } from "bun:test";
import { tools } from "../../../../src/planner/operations/index.ts";

test("tools describes every parameter in a short line", () => {
  for (const { params } of tools) {
    for (const [name, schema] of Object.entries(params.properties)) {
      expect(schema.description, name).toBeString();
      expect(schema.description?.length, name).toBeLessThanOrEqual(90);
    }
  }
});
