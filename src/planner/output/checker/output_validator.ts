import { createHash } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import { MAX_JSON_DEPTH, MAX_OUTPUT_CHARS, OUTPUT_CHECK_LIMIT_MS, PATTERN_LIMIT_MS } from "#planner/limits.ts";
import type { OutputValidator, OutputVerdict } from "#planner/ports.ts";
import { checkOutputValue, findSchemaProblems } from "../check_output.ts";
import { createStepLimit, TooManySteps } from "../evaluate.ts";
import { createExample } from "../example/example_value.ts";
import { type CombinedSchemas, collectSchemas } from "../example/parts.ts";
import { type ExtractedJson, extractJson } from "../extract_json.ts";
import { countNestingLevels } from "../scan_json.ts";
import { type SchemaBundle, SchemaError } from "../schema_document.ts";
import { SchemaIndex } from "../schema_index.ts";
import type { CheckProcess } from "./check_process.ts";
import { loadBundle } from "./load_bundle.ts";
import type { CheckLimits } from "./messages.ts";
import { SchemaFiles } from "./schema_files.ts";

/** Maximum size of an output or schema that is checked in this process, in characters. */
const MAX_IN_PROCESS_CHARS = 64 * 1024;

/**
 * Keywords that match texts with patterns, the user's or a format's. The JSON text is searched instead of the schemas,
 * because a reference may turn any part of a file into a schema. A data field of the same name only costs a child
 * process.
 */
const MATCHING_KEYWORD_PATTERN = /"(?:pattern|patternProperties|\$vocabulary)":/;

/**
 * Returns whether a check cannot block this process: output and schemas are small and have no pattern, because a match
 * cannot be interrupted. Formats use patterns only if a `$vocabulary` requires it.
 */
function canCheckInProcess(bundle: SchemaBundle, output: string): boolean {
  if (output.length > MAX_IN_PROCESS_CHARS) return false;
  const schemas = JSON.stringify(bundle);
  return schemas.length <= MAX_IN_PROCESS_CHARS && !MATCHING_KEYWORD_PATTERN.test(schemas);
}

/** Milliseconds that a check may block this process before a child process takes over. */
const IN_PROCESS_LIMIT_MS = 200;

class CheckTimeout extends Error {}

const DEFAULT_LIMITS: CheckLimits = { checkMs: OUTPUT_CHECK_LIMIT_MS, patternMs: PATTERN_LIMIT_MS };

/** Creates a validator that checks outputs against the schema files of the project at `root`, an absolute path. */
export function createOutputValidator(root: string, limits = DEFAULT_LIMITS): OutputValidator {
  return new ProjectOutputValidator(root, limits);
}

class ProjectOutputValidator implements OutputValidator {
  readonly #root: string;
  readonly #limits: CheckLimits;
  #process: Promise<CheckProcess> | undefined;

  constructor(root: string, limits: CheckLimits) {
    this.#root = root;
    this.#limits = limits;
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
    try {
      const bundle = await loadBundle(new SchemaFiles(this.#root), schemaPath);
      // A meta-schema of the project may have patterns too; they are not run for a prompt.
      const problems = findSchemaProblems(bundle, { testPattern: () => true, interrupt: createStepLimit() });
      if (problems.length > 0) throw new SchemaError(problems);
      return buildOutputSection(schemaPath, bundle);
    } catch (error) {
      if (!(error instanceof SchemaError || error instanceof TooManySteps)) throw error;
      throw new OperationError("failed_precondition", `Cannot use the schema "${schemaPath}": ${error.message}`);
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
    return this.#checkJson(bundle, found);
  }

  async #checkJson(bundle: SchemaBundle, { text, value }: ExtractedJson): Promise<OutputVerdict> {
    const verdict = canCheckInProcess(bundle, text) ? checkInProcess(bundle, value) : undefined;
    if (verdict !== undefined) return verdict;
    this.#process ??= import("./check_process.ts").then((module) => new module.CheckProcess(this.#limits));
    return (await this.#process).checkOutput({ bundle, json: text });
  }
}

/** Checks in this process; undefined if it takes too long. */
function checkInProcess(bundle: SchemaBundle, value: unknown): OutputVerdict | undefined {
  const deadline = Date.now() + IN_PROCESS_LIMIT_MS;
  const interrupt = (): void => {
    if (Date.now() > deadline) throw new CheckTimeout("The check takes too long for this process");
  };
  try {
    return checkOutputValue(bundle, value, { interrupt });
  } catch (error) {
    if (error instanceof CheckTimeout) return undefined;
    throw error;
  }
}

/**
 * Builds the section of an agent's prompt about the expected output: the schema, its required fields and an example.
 * @param schemaPath path as the spec writes it
 * @param bundle the schema and the files that it refers to
 *
 * Source: docs/contract/spec-tool.md#output-1.
 */
export function buildOutputSection(schemaPath: string, bundle: SchemaBundle): string {
  const [{ schema }, ...others] = bundle;
  const required = formatRequiredFields(bundle);
  const example = createExample(bundle);
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
  const index = new SchemaIndex();
  for (const document of bundle) index.addDocument(document);
  const root = index.resolveReference(bundle[0].uris[0])?.node;
  if (root === undefined) return [];
  // A requirement of one of several alternatives is not always required, so no alternative is followed.
  const parts = collectSchemas(index, [root], undefined);
  const properties = parts.mapMembers("properties");
  return parts.listNames("required").map((name) => {
    const field = collectSchemas(index, properties.get(name) ?? [], undefined);
    const description = field.getFirstValue("description");
    const told = typeof description === "string" ? `: ${description.replace(/\s+/g, " ").trim()}` : "";
    return `- \`${name}\`${formatTypes(field)}${told}`;
  });
}

function formatTypes(field: CombinedSchemas): string {
  const types = [...new Set(field.listValues("type").flat())];
  if (types.length > 0) return ` (${types.join(" or ")})`;
  const values = field.listValues("enum").flat();
  return values.length > 0 ? ` (one of ${values.map((value) => JSON.stringify(value)).join(", ")})` : "";
}
