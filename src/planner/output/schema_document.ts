import { isJsonObject } from "#kernel/json_object.ts";
import { childPointer } from "./json_pointer.ts";
import { APPLICATORS, type SubschemaPlace } from "./schema_keywords.ts";

export type SchemaObject = Readonly<Record<string, unknown>>;
export type SchemaNode = SchemaObject | boolean;

export interface SchemaDocument {
  /** How messages name it: its path from the project root. */
  readonly path: string;
  /** The URIs that lead to it, the one that it was read from first; relative references start there. */
  readonly uris: readonly [string, ...string[]];
  readonly schema: unknown;
}

/** A schema file and every other one that it refers to, the file itself first. */
export type SchemaBundle = readonly [SchemaDocument, ...SchemaDocument[]];

/** Something wrong with a schema file: a line that names the file and the place in it. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** The line that says what is wrong where: `<path>#<pointer>: <what>`. */
export function schemaProblem(document: SchemaDocument, pointer: string, what: string): string {
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
  /** From the schema that holds it, `/properties/name` for example. */
  readonly pointer: string;
}

/** The schemas directly inside `schema`, wherever a keyword of the dialect may hold one. */
export function subschemas(schema: SchemaObject): readonly Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const place = APPLICATORS.get(keyword)?.place;
    if (place === undefined) return [];
    return members(place, value)
      .filter(([, node]) => isSchemaNode(node))
      .map(([pointer, node]) => ({ node: node as SchemaNode, pointer: childPointer("", keyword) + pointer }));
  });
}

/** The members of a keyword's value that may be schemas, with their pointers from the keyword. */
function members(place: SubschemaPlace, value: unknown): readonly (readonly [string, unknown])[] {
  if (place === "schema") return [["", value]];
  if (typeof value !== "object" || value === null || Array.isArray(value) !== (place === "list")) return [];
  return Object.entries(value).map(([name, node]) => [childPointer("", name), node]);
}
