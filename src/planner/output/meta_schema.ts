import { Meta } from "typebox/schema";
import { evaluateValue } from "./evaluate.ts";
import { linkSchema } from "./link_schema.ts";
import type { LinkedSchema } from "./linked_schema.ts";
import { formatPointer, formatProblem } from "./problems.ts";
import { formatSchemaProblem, isSchemaObject, type SchemaDocument } from "./schema_document.ts";
import { SchemaIndex } from "./schema_index.ts";
import { SCHEMA_DIALECT } from "./schema_keywords.ts";

const FORMAT_ASSERTION = "https://json-schema.org/draft/2020-12/meta/format-assertion";

/**
 * The meta-schema of the dialect, for schemas that refer to it, and the vocabulary `format-assertion`, which it omits
 * but a project's own meta-schema may name. Source: JSON Schema 2020-12, the `typebox` package.
 */
export const META_DOCUMENTS: readonly SchemaDocument[] = [
  { path: SCHEMA_DIALECT, uris: [SCHEMA_DIALECT], schema: (Meta as Readonly<Record<string, unknown>>)[SCHEMA_DIALECT] },
  {
    path: FORMAT_ASSERTION,
    uris: [FORMAT_ASSERTION],
    schema: {
      $schema: SCHEMA_DIALECT,
      $id: FORMAT_ASSERTION,
      $dynamicAnchor: "meta",
      type: ["object", "boolean"],
      properties: { format: { type: "string" } },
    },
  },
];

const OLDER_DIALECT_PATTERN = /^https?:\/\/json-schema\.org\/(?!draft\/2020-12\/schema#?$)/;

let linkedMeta: LinkedSchema | undefined;

/**
 * Returns violations of the dialect in a schema file: an unknown `$schema`, or keywords with invalid values such as
 * `"type": "strng"`. Schemas with violations must not be linked.
 * @param part one schema of the file to check instead of the whole file
 */
export function findMetaSchemaProblems(
  document: SchemaDocument,
  part: { readonly node?: unknown; readonly pointer?: string } = {},
): readonly string[] {
  const { node = document.schema, pointer = "" } = part;
  linkedMeta ??= linkMetaSchema();
  return evaluateValue(linkedMeta, node).problems.map((problem) => {
    const line = formatProblem({ ...problem, location: undefined, aboutField: true });
    return formatSchemaProblem(document, pointer + formatPointer(problem.location), line);
  });
}

function linkMetaSchema(): LinkedSchema {
  const index = new SchemaIndex();
  for (const document of META_DOCUMENTS) index.addDocument(document);
  return linkSchema(index, SCHEMA_DIALECT);
}

/** Returns an older draft's `$schema`, or undefined. Its keywords have other meanings and cannot be evaluated. */
export function findOlderDialect({ schema }: SchemaDocument): string | undefined {
  const dialect = isSchemaObject(schema) ? schema["$schema"] : undefined;
  return typeof dialect === "string" && OLDER_DIALECT_PATTERN.test(dialect) ? dialect : undefined;
}
