import type { SchemaPlace } from "./schema_index.ts";

/**
 * A schema with all references resolved. It holds the keywords that validate, with linked schemas in them:
 * `$ref` and `$dynamicRef` are the schema meant, maps are `Map`s, `pattern` is a `WatchedPattern`, and
 * `patternProperties` is a list of pattern and schema.
 */
export interface LinkedObject {
  readonly keywords: ReadonlyMap<string, unknown>;
  readonly place: SchemaPlace;
}

export type LinkedSchema = LinkedObject | boolean;
