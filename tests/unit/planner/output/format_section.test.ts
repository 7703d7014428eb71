import { expect, test } from "bun:test";
import { buildOutputSection } from "../../../../src/planner/output/checker/output_validator.ts";
import { bundle } from "../../../support/schema_bundle.ts";

const PATH = ".planner/schemas/report.json";

test("outputFormatSection shows the schema, the required fields and an example", () => {
  const schema = {
    type: "object",
    required: ["name", "level"],
    properties: {
      name: { type: "string", description: "The tool's\n  name" },
      level: { enum: ["low", "high"] },
      note: { type: ["string", "null"] },
    },
  };

  const section = buildOutputSection(PATH, bundle(schema));

  expect(section).toStartWith("## Output Format\n\n");
  expect(section).toContain(`\`${PATH}\``);
  expect(section).toContain(`### Schema\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\`\n`);
  expect(section).toContain(
    '### Required fields\n\n- `name` (string): The tool\'s name\n- `level` (one of "low", "high")\n',
  );
  expect(section).toEndWith(
    '### Example\n\n```json\n{\n  "name": "text",\n  "level": "low",\n  "note": "text"\n}\n```\n',
  );
});

test("outputFormatSection shows the files that the schema refers to", () => {
  const section = buildOutputSection(
    PATH,
    bundle({ $ref: "common.json" }, { "common.json": { required: ["a"], properties: { a: { type: "integer" } } } }),
  );

  expect(section).toContain("Referred to as `common.json`:\n\n```json\n");
  expect(section).toContain("- `a` (integer)\n");
});

test("outputFormatSection calls a field required only where no alternative leaves it out", () => {
  const section = buildOutputSection(
    PATH,
    bundle({ required: ["a"], anyOf: [{ required: ["b"] }, { required: ["c"] }] }),
  );

  expect(section).toContain("### Required fields\n\n- `a`\n\n### Example");
});

test("outputFormatSection says that nothing is required, and when the example only shows the shape", () => {
  const section = buildOutputSection(PATH, bundle({ type: "string", not: { type: "string" } }));

  expect(section).toContain("### Required fields\n\nNone.\n");
  expect(section).toContain("It only shows the shape");
});
