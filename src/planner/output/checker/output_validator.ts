import { createHash } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import { MAX_JSON_DEPTH, MAX_OUTPUT_CHARS, OUTPUT_CHECK_LIMIT_MS, PATTERN_LIMIT_MS } from "#planner/limits.ts";
import type { OutputValidator, OutputVerdict } from "#planner/ports.ts";
import { type CombinedSchema, combineSchemas, createExample } from "../example.ts";
import { extractJson } from "../extract_json.ts";
import { countNestingLevels } from "../scan_json.ts";
import { isSchemaNode, type SchemaBundle, SchemaError } from "../schema_document.ts";
import { SchemaIndex } from "../schema_index.ts";
import { CheckProcess } from "./check_process.ts";
import { loadBundle } from "./load_bundle.ts";
import type { CheckLimits } from "./messages.ts";
import { SchemaFiles } from "./schema_files.ts";

const DEFAULT_LIMITS: CheckLimits = { checkMs: OUTPUT_CHECK_LIMIT_MS, patternMs: PATTERN_LIMIT_MS };

/** Creates a validator that checks outputs against the schema files of the project at `root`, an absolute path. */
export function createOutputValidator(root: string, limits = DEFAULT_LIMITS): OutputValidator {
  return new ProjectOutputValidator(root, limits);
}

class ProjectOutputValidator implements OutputValidator {
  readonly #root: string;
  readonly #process: CheckProcess;

  constructor(root: string, limits: CheckLimits) {
    this.#root = root;
    this.#process = new CheckProcess(limits);
  }

  async validateOutput(schemaPath: string, output: string): Promise<OutputVerdict> {
    try {
      const bundle = await loadBundle(new SchemaFiles(this.#root), schemaPath);
      return await this.#validateJson(bundle, output);
    } catch (error) {
      if (error instanceof SchemaError) return { kind: "invalid_schema", problems: error.problems };
      throw error;
    }
  }

  async promptSection(schemaPath: string): Promise<string> {
    const problems = await this.#buildSection(schemaPath);
    if (typeof problems === "string") return problems;
    throw new OperationError("failed_precondition", `Cannot use the schema "${schemaPath}": ${problems.join("\n")}`);
  }

  /** Returns the section, or the problems of the schema. */
  async #buildSection(schemaPath: string): Promise<string | readonly string[]> {
    try {
      const bundle = await loadBundle(new SchemaFiles(this.#root), schemaPath);
      const index = SchemaIndex.of(bundle);
      const [{ schema }] = bundle;
      const example = isSchemaNode(schema) ? createExample(index, schema) : null;
      const verdict = await this.#process.checkOutput({ bundle, json: JSON.stringify(example) });
      if (verdict.kind === "invalid_schema") return verdict.problems;
      return formatOutputSection(schemaPath, bundle, { value: example, fits: verdict.kind === "passed" });
    } catch (error) {
      if (error instanceof SchemaError) return error.problems;
      throw error;
    }
  }

  async computeFingerprint(schemaPath: string): Promise<string | null> {
    try {
      const bundle = await loadBundle(new SchemaFiles(this.#root), schemaPath);
      const text = JSON.stringify(bundle.map(({ path, schema }) => [path, schema]));
      return createHash("sha256").update(text).digest("hex");
    } catch (error) {
      if (error instanceof SchemaError) return null;
      throw error;
    }
  }

  async #validateJson(bundle: SchemaBundle, output: string): Promise<OutputVerdict> {
    if (output.length > MAX_OUTPUT_CHARS) {
      return {
        kind: "failed",
        problems: [`output of ${output.length} characters: expected at most ${MAX_OUTPUT_CHARS}`],
      };
    }
    const found = extractJson(output);
    if (found === undefined) return { kind: "no_json" };
    const depth = countNestingLevels(found.text);
    if (depth > MAX_JSON_DEPTH) {
      return { kind: "failed", problems: [`output nests ${depth} levels deep: expected at most ${MAX_JSON_DEPTH}`] };
    }
    return this.#process.checkOutput({ bundle, json: found.text });
  }
}

/**
 * Builds the section of an agent's prompt about the expected output: the schema, its required fields and an example.
 * @param schemaPath path as the spec writes it
 * @param bundle the schema and the files that it refers to
 *
 * Source: docs/contract/spec-tool.md#output-1.
 */
export function formatOutputSection(
  schemaPath: string,
  bundle: SchemaBundle,
  example: { readonly value: unknown; readonly fits: boolean },
): string {
  const [{ schema }, ...others] = bundle;
  const required = formatRequiredFields(bundle);
  const paragraphs = [
    "## Output Format",
    `When the work is done, end your output with one JSON value in a code block tagged \`json\`. It is checked against the JSON Schema (draft 2020-12) \`${schemaPath}\`.`,
    "### Schema",
    fenceJson(schema),
    ...others.flatMap((other) => [`Referred to as \`${other.path}\`:`, fenceJson(other.schema)]),
    "### Required fields",
    required.length === 0 ? "None." : required.join("\n"),
    "### Example",
    ...(example.fits ? [] : ["It only shows the shape; the schema demands more than it fulfils."]),
    fenceJson(example.value),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

function fenceJson(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** Formats one line per required field of the output's root: name, type and description. */
function formatRequiredFields(bundle: SchemaBundle): readonly string[] {
  const index = SchemaIndex.of(bundle);
  const [{ schema }] = bundle;
  if (!isSchemaNode(schema)) return [];
  // A requirement of one of several alternatives is not always required, so no alternative is followed.
  const { required, properties } = combineSchemas(index, [schema], false);
  return required.map((name) => {
    const field = combineSchemas(index, properties.get(name) ?? [], false);
    const { description } = field.keywords;
    const told = typeof description === "string" ? `: ${description.replace(/\s+/g, " ").trim()}` : "";
    return `- \`${name}\`${formatTypes(field)}${told}`;
  });
}

function formatTypes({ parts, keywords: { enum: values } }: CombinedSchema): string {
  const types = [...new Set(parts.flatMap((part) => part["type"] ?? []))];
  if (types.length > 0) return ` (${types.join(" or ")})`;
  if (!Array.isArray(values) || values.length === 0) return "";
  return ` (one of ${values.map((value) => JSON.stringify(value)).join(", ")})`;
}
