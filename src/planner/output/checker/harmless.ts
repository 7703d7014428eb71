import { isSchemaObject, type SchemaBundle } from "../schema_document.ts";
import { SchemaIndex } from "../schema_index.ts";

/** Largest output and largest schema that are worth comparing in this process, in characters. */
const SMALL_TEXT = 64 * 1024;

/** Keywords that match texts with patterns, the user's or a format's. */
const MATCHING = ["pattern", "patternProperties", "$vocabulary"];

/**
 * True when comparing cannot hold up this process: everything is small, and no pattern is involved, because a match
 * cannot be interrupted. Formats only match where a `$vocabulary` asks for it.
 */
export function isHarmless(bundle: SchemaBundle, output: string): boolean {
  if (output.length > SMALL_TEXT || JSON.stringify(bundle).length > SMALL_TEXT) return false;
  const index = new SchemaIndex();
  for (const document of bundle) index.add(document);
  for (const [schema] of index.schemas()) {
    if (MATCHING.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  }
  return bundle.every(({ schema }) => typeof schema === "boolean" || isSchemaObject(schema));
}
