/** Form of a keyword's subschemas: one schema, a list or a map. */
export type SubschemaPlace = "schema" | "list" | "map";

const BASE = "https://json-schema.org/draft/2020-12/vocab/";

/** The vocabularies of draft 2020-12 by the last part of their URI. */
export const VOCABULARY_BASE = BASE;

export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

export type Vocabulary =
  | "core"
  | "applicator"
  | "unevaluated"
  | "validation"
  | "meta-data"
  | "format-annotation"
  | "format-assertion"
  | "content";

export const VOCABULARIES: readonly Vocabulary[] = [
  "core",
  "applicator",
  "unevaluated",
  "validation",
  "meta-data",
  "format-annotation",
  "format-assertion",
  "content",
];

export interface Applicator {
  readonly place: SubschemaPlace;
  readonly vocabulary: Vocabulary;
  /** True when its subschemas judge the same value, not a part of it. */
  readonly inPlace: boolean;
  /** False for a place that only holds schemas for others to refer to. */
  readonly applies: boolean;
}

function part(place: SubschemaPlace, vocabulary: Vocabulary = "applicator"): Applicator {
  return { place, vocabulary, inPlace: false, applies: true };
}

function inPlace(place: SubschemaPlace): Applicator {
  return { place, vocabulary: "applicator", inPlace: true, applies: true };
}

function holder(place: SubschemaPlace, vocabulary: Vocabulary): Applicator {
  return { place, vocabulary, inPlace: false, applies: false };
}

/**
 * Every keyword that holds subschemas. `definitions` and `dependencies` are older keywords that the 2020-12 meta-schema
 * still allows; a list of names in `dependencies` is not a schema.
 *
 * Source: JSON Schema 2020-12 Core, 10 and 11; Validation, 8.
 */
export const APPLICATORS: ReadonlyMap<string, Applicator> = new Map([
  ["$defs", holder("map", "core")],
  ["definitions", holder("map", "core")],
  ["contentSchema", holder("schema", "content")],
  ["allOf", inPlace("list")],
  ["anyOf", inPlace("list")],
  ["oneOf", inPlace("list")],
  ["not", inPlace("schema")],
  ["if", inPlace("schema")],
  ["then", inPlace("schema")],
  ["else", inPlace("schema")],
  ["dependentSchemas", inPlace("map")],
  ["dependencies", inPlace("map")],
  ["prefixItems", part("list")],
  ["items", part("schema")],
  ["contains", part("schema")],
  ["properties", part("map")],
  ["patternProperties", part("map")],
  ["additionalProperties", part("schema")],
  ["propertyNames", part("schema")],
  ["unevaluatedItems", part("schema", "unevaluated")],
  ["unevaluatedProperties", part("schema", "unevaluated")],
]);

/** The keywords of the validation vocabulary: each asserts something about the value and holds no subschema. */
export const ASSERTIONS: ReadonlySet<string> = new Set([
  "type",
  "enum",
  "const",
  "multipleOf",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxContains",
  "minContains",
  "maxProperties",
  "minProperties",
  "required",
  "dependentRequired",
]);
