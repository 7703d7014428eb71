import { Meta } from "typebox/schema";
import { evaluate } from "./evaluate.ts";
import { linkSchema } from "./link_schema.ts";
import type { LinkedSchema } from "./linked_schema.ts";
import { pointerTo, problemLine } from "./problems.ts";
import { isSchemaObject, type SchemaDocument, schemaProblem } from "./schema_document.ts";
import { SchemaIndex } from "./schema_index.ts";
import { DIALECT } from "./schema_keywords.ts";

const FORMAT_ASSERTION = "https://json-schema.org/draft/2020-12/meta/format-assertion";

/**
 * The meta-schema of the dialect, for schemas that refer to it, and the one vocabulary that it leaves out but a project's
 * own meta-schema may name. Source: JSON Schema 2020-12, the `typebox` package.
 */
export const META_DOCUMENTS: readonly SchemaDocument[] = [
  { path: DIALECT, uris: [DIALECT], schema: (Meta as Readonly<Record<string, unknown>>)[DIALECT] },
  {
    path: FORMAT_ASSERTION,
    uris: [FORMAT_ASSERTION],
    schema: {
      $schema: DIALECT,
      $id: FORMAT_ASSERTION,
      $dynamicAnchor: "meta",
      type: ["object", "boolean"],
      properties: { format: { type: "string" } },
    },
  },
];

const OLDER_DIALECT = /^https?:\/\/json-schema\.org\/(?!draft\/2020-12\/schema#?$)/;

let linkedMeta: LinkedSchema | undefined;

/**
 * What is wrong with a schema file by the rules of its dialect: an unknown `$schema`, or keywords whose values make no
 * sense, such as `"type": "strng"`. Schemas that do not pass must not be linked.
 *
 * @param part one schema of the file in place of the whole
 */
export function metaSchemaProblems(
  document: SchemaDocument,
  part: { readonly node?: unknown; readonly pointer?: string } = {},
): readonly string[] {
  const { node = document.schema, pointer = "" } = part;
  linkedMeta ??= linkMeta();
  return evaluate(linkedMeta, node).problems.map((problem) => {
    const line = problemLine({ ...problem, at: undefined, aboutField: true });
    return schemaProblem(document, pointer + pointerTo(problem.at), line);
  });
}

function linkMeta(): LinkedSchema {
  const index = new SchemaIndex();
  for (const document of META_DOCUMENTS) index.add(document);
  return linkSchema(index, DIALECT);
}

/** The `$schema` of an older draft, or undefined. Its keywords mean other things, so the schema cannot be evaluated. */
export function olderDialect({ schema }: SchemaDocument): string | undefined {
  const dialect = isSchemaObject(schema) ? schema["$schema"] : undefined;
  return typeof dialect === "string" && OLDER_DIALECT.test(dialect) ? dialect : undefined;
}
