import { OutputChecker } from "#planner/output/check_output.ts";
import { createExample } from "#planner/output/example.ts";
import { type SchemaBundle, type SchemaDocument, SchemaIndex, type SchemaNode } from "#planner/output/schema_index.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";

/** A bundle of one schema, or of several by their paths, the first one being the output's. */
export function bundle(schema: unknown, others: Readonly<Record<string, unknown>> = {}): SchemaBundle {
  return [document("schema.json", schema), ...Object.entries(others).map(([path, other]) => document(path, other))];
}

function document(path: string, schema: unknown): SchemaDocument {
  // A schema that stands in two places is two schemas in a file.
  return { path, uris: [`file:///${path}`], schema: JSON.parse(JSON.stringify(schema)) };
}

export function verdict(schema: unknown, value: unknown, others?: Readonly<Record<string, unknown>>): OutputVerdict {
  return new OutputChecker(bundle(schema, others)).checkJson(JSON.stringify(value));
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

/** An example made up for a schema, and whether it fits. */
export function exampleOf(
  schema: unknown,
  others?: Readonly<Record<string, unknown>>,
): { readonly value: unknown; readonly fits: boolean } {
  const made = bundle(schema, others);
  const [{ schema: root }] = made;
  const value = createExample(SchemaIndex.of(made), root as SchemaNode);
  return { value, fits: verdict(schema, value, others).kind === "passed" };
}
