import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Schema, { Meta, type XSchema } from "typebox/schema";
import { extractJson } from "#planner/output/extract_json.ts";
import type { OutputValidator, OutputVerdict } from "#planner/ports.ts";

export interface OutputValidatorOptions {
  /** The project root, absolute. */
  readonly root: string;
  /** Starts this program again: `selfCommand()` and `selfEnvironment()` of `#runtime/self_command.ts`. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Checks outputs against the schema files of one project. */
export function createOutputValidator(options: OutputValidatorOptions): OutputValidator {
  return { validate: (schemaPath, output) => validate(options.root, schemaPath, output) };
}

async function validate(root: string, schemaPath: string, output: string): Promise<OutputVerdict> {
  const found = extractJson(output);
  if (found === undefined) return { kind: "no_json" };
  const schema = JSON.parse(await readFile(join(root, schemaPath), "utf8")) as XSchema;
  const meta = Meta["https://json-schema.org/draft/2020-12/schema"] as XSchema;
  if (!Schema.Check(meta, schema)) return { kind: "invalid_schema", problems: ["not a JSON Schema"] };
  const [passed, errors] = Schema.Errors(schema, found.value);
  if (passed) return { kind: "passed" };
  return { kind: "failed", problems: errors.map(({ instancePath, message }) => `${instancePath}: ${message}`) };
}
