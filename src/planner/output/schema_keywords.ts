/** Form of a keyword's subschemas: one schema, a list or a map. */
export type SubschemaForm = "schema" | "list" | "map";

/** Beginning of the URIs of draft 2020-12's vocabularies; a vocabulary's name follows it. */
export const VOCABULARY_BASE = "https://json-schema.org/draft/2020-12/vocab/";

export const SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";

export const VOCABULARIES = [
  ...(["core", "applicator", "unevaluated", "validation", "meta-data"] as const),
  ...(["format-annotation", "format-assertion", "content"] as const),
] as const;

export type Vocabulary = (typeof VOCABULARIES)[number];

export interface SubschemaKeyword {
  readonly form: SubschemaForm;
  readonly vocabulary: Vocabulary;
  /** True if the subschemas apply to the same value rather than to a part of it. */
  readonly appliesInPlace: boolean;
  /** False for a keyword that only stores schemas for references. */
  readonly isApplied: boolean;
}

function createPartApplicator(place: SubschemaForm, vocabulary: Vocabulary = "applicator"): SubschemaKeyword {
  return { form: place, vocabulary, appliesInPlace: false, isApplied: true };
}

function createInPlaceApplicator(place: SubschemaForm): SubschemaKeyword {
  return { form: place, vocabulary: "applicator", appliesInPlace: true, isApplied: true };
}

function createDefinitionsApplicator(place: SubschemaForm, vocabulary: Vocabulary): SubschemaKeyword {
  return { form: place, vocabulary, appliesInPlace: false, isApplied: false };
}

/**
 * Every keyword that contains subschemas. `definitions` and `dependencies` are older keywords that the 2020-12
 * meta-schema still allows; a list of names in `dependencies` is not a schema.
 *
 * Source: JSON Schema 2020-12 Core, 10 and 11; Validation, 8.
 */
export const SUBSCHEMA_KEYWORDS: ReadonlyMap<string, SubschemaKeyword> = new Map([
  ["$defs", createDefinitionsApplicator("map", "core")],
  ["definitions", createDefinitionsApplicator("map", "core")],
  ["contentSchema", createDefinitionsApplicator("schema", "content")],
  ["allOf", createInPlaceApplicator("list")],
  ["anyOf", createInPlaceApplicator("list")],
  ["oneOf", createInPlaceApplicator("list")],
  ["not", createInPlaceApplicator("schema")],
  ["if", createInPlaceApplicator("schema")],
  ["then", createInPlaceApplicator("schema")],
  ["else", createInPlaceApplicator("schema")],
  ["dependentSchemas", createInPlaceApplicator("map")],
  ["dependencies", createInPlaceApplicator("map")],
  ["prefixItems", createPartApplicator("list")],
  ["items", createPartApplicator("schema")],
  ["contains", createPartApplicator("schema")],
  ["properties", createPartApplicator("map")],
  ["patternProperties", createPartApplicator("map")],
  ["additionalProperties", createPartApplicator("schema")],
  ["propertyNames", createPartApplicator("schema")],
  ["unevaluatedItems", createPartApplicator("schema", "unevaluated")],
  ["unevaluatedProperties", createPartApplicator("schema", "unevaluated")],
]);

/** Keywords of the validation vocabulary: each is a condition on the value and contains no subschema. */
export const ASSERTION_KEYWORDS: ReadonlySet<string> = new Set([
  ..."type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum".split(" "),
  ..."maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains".split(" "),
  ..."maxProperties minProperties required dependentRequired".split(" "),
]);
