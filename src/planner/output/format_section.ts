import { exampleOf } from "./example/example_value.ts";
import { type Parts, partsOf } from "./example/parts.ts";
import type { SchemaBundle } from "./schema_document.ts";
import { SchemaIndex } from "./schema_index.ts";

/**
 * The part of an agent's prompt that says which output is expected: the schema, its required fields and an example.
 *
 * @param schemaPath as the spec names it
 * @param bundle the schema and the files that it refers to
 *
 * Source: docs/contract/spec-tool.md#output-1.
 */
export function outputFormatSection(schemaPath: string, bundle: SchemaBundle): string {
  const [{ schema }, ...others] = bundle;
  const required = requiredFields(bundle);
  const example = exampleOf(bundle);
  const paragraphs = [
    "## Output Format",
    `When the work is done, end your output with one JSON value in a code block tagged \`json\`. It is checked against the JSON Schema (draft 2020-12) \`${schemaPath}\`.`,
    "### Schema",
    fenced(schema),
    ...others.flatMap((other) => [`Referred to as \`${other.path}\`:`, fenced(other.schema)]),
    "### Required fields",
    required.length === 0 ? "None." : required.join("\n"),
    "### Example",
    ...(example.fits ? [] : ["It only shows the shape; the schema demands more than it fulfils."]),
    fenced(example.value),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

function fenced(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** One line per field that the root of the output must have: name, type and description. */
function requiredFields(bundle: SchemaBundle): readonly string[] {
  const index = new SchemaIndex();
  for (const document of bundle) index.add(document);
  const root = index.resolve(bundle[0].uris[0])?.node;
  if (root === undefined) return [];
  // What one of several alternatives demands is not required, so no choice is followed.
  const parts = partsOf(index, [root], undefined);
  const properties = parts.members("properties");
  return parts.names("required").map((name) => {
    const field = partsOf(index, properties.get(name) ?? [], undefined);
    const description = field.first("description");
    const told = typeof description === "string" ? `: ${description.replace(/\s+/g, " ").trim()}` : "";
    return `- \`${name}\`${typeNames(field)}${told}`;
  });
}

function typeNames(field: Parts): string {
  const types = [...new Set(field.values("type").flat())];
  if (types.length > 0) return ` (${types.join(" or ")})`;
  const values = field.values("enum").flat();
  return values.length > 0 ? ` (one of ${values.map((value) => JSON.stringify(value)).join(", ")})` : "";
}
