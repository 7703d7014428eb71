import { expect, test } from "bun:test";
import { formatOutputSection } from "../../../../src/planner/output/checker/output_validator.ts";
import { bundle, exampleOf } from "../../../support/schema_bundle.ts";

const PATH = ".planner/schemas/report.json";

function section(schema: unknown, others?: Readonly<Record<string, unknown>>): string {
  return formatOutputSection(PATH, bundle(schema, others), exampleOf(schema, others));
}

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

  const text = section(schema);

  expect(text).toStartWith("## Output Format\n\n");
  expect(text).toContain(`\`${PATH}\``);
  expect(text).toContain(`### Schema\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\`\n`);
  expect(text).toContain(
    '### Required fields\n\n- `name` (string): The tool\'s name\n- `level` (one of "low", "high")\n',
  );
  expect(text).toEndWith('### Example\n\n```json\n{\n  "name": "text",\n  "level": "low",\n  "note": "text"\n}\n```\n');
});

test("outputFormatSection shows the files that the schema refers to", () => {
  const text = section(
    { $ref: "common.json" },
    { "common.json": { required: ["a"], properties: { a: { type: "integer" } } } },
  );

  expect(text).toContain("Referred to as `common.json`:\n\n```json\n");
  expect(text).toContain("- `a` (integer)\n");
});

test("outputFormatSection calls a field required only where no alternative leaves it out", () => {
  const text = section({ required: ["a"], anyOf: [{ required: ["b"] }, { required: ["c"] }] });

  expect(text).toContain("### Required fields\n\n- `a`\n\n### Example");
});

test("outputFormatSection says that nothing is required, and when the example only shows the shape", () => {
  const text = section({ type: "string", not: { type: "string" } });

  expect(text).toContain("### Required fields\n\nNone.\n");
  expect(text).toContain("It only shows the shape");
});
