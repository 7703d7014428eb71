import type { SchemaBundle } from "../schema_document.ts";

/** Largest output and largest schema that are worth comparing in this process, in characters. */
const SMALL_TEXT = 64 * 1024;

/**
 * Keywords that match texts with patterns, the user's or a format's. Looked for in the text, not in the schemas, because
 * a reference may make a schema of any part of a file; a field of such a name only costs a child process.
 */
const MATCHING = /"(?:pattern|patternProperties|\$vocabulary)":/;

/**
 * True when comparing cannot hold up this process: everything is small, and no pattern is involved, because a match
 * cannot be interrupted. Formats only match where a `$vocabulary` asks for it.
 */
export function isHarmless(bundle: SchemaBundle, output: string): boolean {
  if (output.length > SMALL_TEXT) return false;
  const schemas = JSON.stringify(bundle);
  return schemas.length <= SMALL_TEXT && !MATCHING.test(schemas);
}
