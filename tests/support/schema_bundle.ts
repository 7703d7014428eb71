import { checkOutputValue } from "../../src/planner/output/check_output.ts";
import type { SchemaBundle, SchemaDocument } from "../../src/planner/output/schema_document.ts";
import type { OutputVerdict } from "../../src/planner/ports.ts";

/** A bundle of one schema, or of several by their paths, the first one being the output's. */
export function bundle(schema: unknown, others: Readonly<Record<string, unknown>> = {}): SchemaBundle {
  return [document("schema.json", schema), ...Object.entries(others).map(([path, other]) => document(path, other))];
}

function document(path: string, schema: unknown): SchemaDocument {
  // A schema that stands in two places is two schemas in a file.
  return { path, uris: [`file:///${path}`], schema: JSON.parse(JSON.stringify(schema)) };
}

export function verdict(schema: unknown, value: unknown, others?: Readonly<Record<string, unknown>>): OutputVerdict {
  return checkOutputValue(bundle(schema, others), value);
}

/** What is wrong with a value or with the schema; nothing when the value fits. */
export function problems(
  schema: unknown,
  value: unknown,
  others?: Readonly<Record<string, unknown>>,
): readonly string[] {
  const found = verdict(schema, value, others);
  return "problems" in found ? found.problems : [];
}
