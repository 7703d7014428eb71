import { expect } from "bun:test";
import fc from "fast-check";
import { DEFAULT_CONFIG, type FieldRule } from "#planner/config/config.ts";
import { buildFrontmatterSchema } from "#planner/config/frontmatter_schema.ts";
import { OutputChecker } from "#planner/output/check_output.ts";
import { law } from "../../../support/law.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { findingsOf, ID } from "../../../support/lint_world.ts";

const scalarType = fc.constantFrom("string" as const, "integer" as const, "number" as const, "boolean" as const);
const words = fc.uniqueArray(fc.constantFrom("red", "blue", "1", "2", "true"), { minLength: 1 });
const fieldRule: fc.Arbitrary<FieldRule> = fc.oneof(
  fc.record({ type: scalarType }),
  fc.record({ type: fc.constant("string" as const), enum: words }),
  fc.record({ type: fc.constant("array" as const), items: scalarType }),
  fc.record({ type: fc.constant("array" as const), items: fc.constant("string" as const), enum: words }),
  fc.record({ items: scalarType }),
  fc.record({ type: fc.constant("object" as const) }),
);
const config = fc
  .record({
    required: fc.uniqueArray(fc.constantFrom("status", "team", "owner", "model")),
    fields: fc.dictionary(fc.constantFrom("team", "owner", "labels"), fieldRule),
  })
  .map(({ required, fields }) => ({
    ...DEFAULT_CONFIG,
    schema: { spec: { required, fields: { ...DEFAULT_CONFIG.schema.spec.fields, ...fields } } },
  }));

const scalar = fc.oneof(
  fc.constantFrom("red", "green", "1", "pending", "cancelled", "ready"),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant({ a: 1 }));
const frontmatter = fc.dictionary(fc.constantFrom("status", "team", "owner", "other"), value);

law(
  "frontmatterSchema and lint agree on every frontmatter",
  [config, frontmatter],
  async (settings, fields) => {
    // Known fields keep their text, whatever YAML would read, so the status is written as a text.
    const written = {
      ...fields,
      ...(typeof fields["status"] === "object" ? {} : { status: String(fields["status"] ?? "pending") }),
    };
    const text = `---\n${JSON.stringify(written)}\n---\n\n# T\n`;

    const findings = await findingsOf("required", { [ID]: text }, { config: settings });
    const schema = buildFrontmatterSchema(settings);
    const checker = new OutputChecker([{ path: "schema.json", uris: ["file:///schema.json"], schema }]);
    const verdict = checker.checkJson(JSON.stringify(written));

    const errors = findings.filter(({ severity }) => severity === "error").map(({ message }) => message);
    expect({ errors, fits: verdict.kind === "passed" }).toEqual({ errors, fits: errors.length === 0 });
  },
  { numRuns: LAW_RUNS * 3 },
);
