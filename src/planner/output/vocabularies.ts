import { isSchemaObject } from "./schema_document.ts";
import type { Resource, SchemaIndex } from "./schema_index.ts";
import { DIALECT, VOCABULARIES, VOCABULARY_BASE, type Vocabulary } from "./schema_keywords.ts";

/** What a schema of the dialect itself is made of: `format` is a note there, not a demand. */
const STANDARD: ReadonlySet<Vocabulary> = new Set(VOCABULARIES.filter((name) => name !== "format-assertion"));

/**
 * The vocabularies that a resource is written in, or what is wrong with its `$schema`.
 *
 * Another meta-schema than the dialect's must be among the indexed documents, and its `$vocabulary` decides. So that
 * no meta-schema is needed for it, `format-assertion` counts as well in a `$vocabulary` of the schema itself.
 * Source: JSON Schema 2020-12 Core, 8.1.2; docs/decisions.md#s-17.
 */
export function vocabulariesOf(index: SchemaIndex, resource: Resource): ReadonlySet<Vocabulary> | string {
  const own = known(resource.root);
  const dialect = resource.dialect === DIALECT ? STANDARD : ofMetaSchema(index, resource.dialect);
  if (typeof dialect === "string" || !own.has("format-assertion")) return dialect;
  return new Set([...dialect, "format-assertion"]);
}

function ofMetaSchema(index: SchemaIndex, uri: string): ReadonlySet<Vocabulary> | string {
  const meta = index.resource(uri);
  if (meta === undefined) return `"${uri}" is not supported: expected "${DIALECT}"`;
  const declared = isSchemaObject(meta.root) ? meta.root["$vocabulary"] : undefined;
  if (!isSchemaObject(declared)) return STANDARD;
  const names = known(meta.root);
  const foreign = Object.keys(declared).find((each) => declared[each] === true && !names.has(shortName(each)));
  return foreign === undefined ? names : `"${uri}" demands the vocabulary "${foreign}", which is not supported`;
}

function known(root: unknown): ReadonlySet<Vocabulary> {
  const declared = isSchemaObject(root) ? root["$vocabulary"] : undefined;
  const uris = isSchemaObject(declared) ? Object.keys(declared) : [];
  const names = uris.filter((uri) => uri.startsWith(VOCABULARY_BASE)).map(shortName);
  return new Set(names.filter((name) => VOCABULARIES.includes(name)));
}

function shortName(uri: string): Vocabulary {
  return uri.slice(VOCABULARY_BASE.length) as Vocabulary;
}
