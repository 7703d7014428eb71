import { isJsonObject } from "#kernel/json_object.ts";

export type SchemaObject = Readonly<Record<string, unknown>>;
export type SchemaNode = SchemaObject | boolean;

export interface SchemaDocument {
  /** Path from the project root, which messages print. */
  readonly path: string;
  /** URIs of the document. The first is the one under which it was read; relative references resolve against it. */
  readonly uris: readonly [string, ...string[]];
  readonly schema: unknown;
}

/** A schema file and all files that it refers to, directly or indirectly; the file itself comes first. */
export type SchemaBundle = readonly [SchemaDocument, ...SchemaDocument[]];

export const SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Beginning of the URIs of the meta-schemas of JSON Schema itself, which need no file. */
export const META_SCHEMA_URI_PATTERN = /^https?:\/\/json-schema\.org\//;

/** An error in a schema file. Each line of the message names the file and the location in it. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Formats an error in a schema file as `<path>#<pointer>: <what>`. */
export function formatSchemaProblem(document: SchemaDocument, pointer: string, what: string): string {
  return `${document.path}#${pointer === "" ? "/" : pointer}: ${what}`;
}

export function isSchemaObject(value: unknown): value is SchemaObject {
  return isJsonObject(value);
}

export function isSchemaNode(value: unknown): value is SchemaNode {
  return typeof value === "boolean" || isSchemaObject(value);
}

/** Keywords that map names to schemas. `definitions` and `dependencies` are older ones that the dialect still allows. */
const MAP_KEYWORDS: ReadonlySet<string> = new Set(
  "$defs definitions properties patternProperties dependentSchemas dependencies".split(" "),
);

/** Keywords that hold a schema or a list of schemas. Source: JSON Schema 2020-12 Core, 10 and 11; Validation, 8. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  ..."allOf anyOf oneOf not if then else prefixItems items contains additionalProperties propertyNames".split(" "),
  ..."unevaluatedItems unevaluatedProperties contentSchema".split(" "),
]);

/** Returns the schemas directly inside `schema`, with their pointers from it, for example `/properties/name`. */
export function listSubschemas(schema: SchemaObject): readonly { node: SchemaNode; pointer: string }[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const pointer = `/${keyword}`;
    const isMap = MAP_KEYWORDS.has(keyword) && isSchemaObject(value);
    if (!isMap && !SCHEMA_KEYWORDS.has(keyword)) return [];
    if (!isMap && !Array.isArray(value)) return isSchemaNode(value) ? [{ node: value, pointer }] : [];
    return Object.entries(value as object)
      .filter(([, node]) => isSchemaNode(node))
      .map(([name, node]) => ({ node: node as SchemaNode, pointer: appendPointerToken(pointer, name) }));
  });
}

/** Appends a token to a JSON pointer. Source: RFC 6901. */
export function appendPointerToken(pointer: string, token: string | number): string {
  return `${pointer}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Splits a JSON pointer into unescaped tokens; undefined if the text is not a pointer. */
export function parseJsonPointer(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the field or item of `value` that one token names, or undefined. */
export function getMember(value: unknown, token: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return Object.hasOwn(value, token) ? (value as Record<string, unknown>)[token] : undefined;
}
