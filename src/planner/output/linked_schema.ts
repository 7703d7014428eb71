import type { IndexedSchema } from "./schema_index.ts";

/**
 * A schema with all references resolved. It has only the keywords that validate, with linked schemas in them: `$ref`
 * and `$dynamicRef` are their target schemas, maps are `Map`s, `pattern` is a `WatchedPattern`, and `patternProperties`
 * is a list of pattern and schema.
 */
export interface LinkedObject {
  readonly keywords: ReadonlyMap<string, unknown>;
  readonly source: IndexedSchema;
}

export type LinkedSchema = LinkedObject | boolean;
