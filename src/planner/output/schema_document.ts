import { isJsonObject } from "#kernel/json_object.ts";
import { appendPointerToken } from "./json_pointer.ts";
import { SUBSCHEMA_KEYWORDS, type SubschemaForm } from "./schema_keywords.ts";

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

export interface Subschema {
  readonly node: SchemaNode;
  /** Pointer from the parent schema, for example `/properties/name`. */
  readonly pointer: string;
}

/** Returns the schemas directly inside `schema`, at all positions where a keyword of the dialect may have one. */
export function listSubschemas(schema: SchemaObject): readonly Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const place = SUBSCHEMA_KEYWORDS.get(keyword)?.form;
    if (place === undefined) return [];
    return listSchemaCandidates(place, value)
      .filter(([, node]) => isSchemaNode(node))
      .map(([pointer, node]) => ({ node: node as SchemaNode, pointer: appendPointerToken("", keyword) + pointer }));
  });
}

/** Lists the parts of a keyword's value that may be schemas, with their pointers relative to the keyword. */
function listSchemaCandidates(place: SubschemaForm, value: unknown): readonly (readonly [string, unknown])[] {
  if (place === "schema") return [["", value]];
  if (typeof value !== "object" || value === null || Array.isArray(value) !== (place === "list")) return [];
  return Object.entries(value).map(([name, node]) => [appendPointerToken("", name), node]);
}
