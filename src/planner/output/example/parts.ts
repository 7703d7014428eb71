import { isSchemaNode, isSchemaObject, type SchemaNode, type SchemaObject } from "../schema_document.ts";
import { resolveUri, type SchemaIndex } from "../schema_index.ts";

/** Maximum number of schemas that are collected for one value. */
const MAX_COMBINED_SCHEMAS = 100;

/** All schemas for one value: a schema, those that it refers to, all of `allOf` and one of each choice. */
export class CombinedSchemas {
  readonly schemas: readonly SchemaObject[];

  constructor(schemas: readonly SchemaObject[]) {
    this.schemas = schemas;
  }

  listValues(keyword: string): readonly unknown[] {
    return this.schemas.filter((schema) => Object.hasOwn(schema, keyword)).map((schema) => schema[keyword]);
  }

  getFirstValue(keyword: string): unknown {
    return this.listValues(keyword)[0];
  }

  findGreatest(keyword: string): number | undefined {
    const numbers = this.listValues(keyword).filter((value) => typeof value === "number");
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }

  findLeast(keyword: string): number | undefined {
    const numbers = this.listValues(keyword).filter((value) => typeof value === "number");
    return numbers.length === 0 ? undefined : Math.min(...numbers);
  }

  /** Returns the names in all lists of a keyword, each once. */
  listNames(keyword: string): readonly string[] {
    const lists = this.listValues(keyword).filter((value) => Array.isArray(value));
    return [...new Set(lists.flat().filter((name) => typeof name === "string"))];
  }

  /** Returns the schemas of a keyword. */
  listSchemas(keyword: string): readonly SchemaNode[] {
    return this.listValues(keyword).filter(isSchemaNode);
  }

  /** Returns the schemas by name of a keyword that maps names to schemas. */
  mapMembers(keyword: string): ReadonlyMap<string, readonly SchemaNode[]> {
    const members = new Map<string, SchemaNode[]>();
    for (const map of this.listValues(keyword).filter(isSchemaObject)) {
      for (const [name, node] of Object.entries(map)) {
        if (isSchemaNode(node)) members.set(name, [...(members.get(name) ?? []), node]);
      }
    }
    return members;
  }
}

/**
 * Collects all schemas that apply together with `nodes`.
 * @param choice index of the alternative in `anyOf` and `oneOf`, modulo their length; undefined follows no alternative
 * and no condition
 */
export function collectSchemas(
  index: SchemaIndex,
  nodes: readonly SchemaNode[],
  choice: number | undefined,
): CombinedSchemas {
  const found = new Set<SchemaObject>(nodes.filter(isSchemaObject));
  for (const schema of found) {
    if (found.size > MAX_COMBINED_SCHEMAS) break;
    // A loop over a Set includes items added during it.
    for (const next of listApplicableSchemas(index, schema, choice)) if (isSchemaObject(next)) found.add(next);
  }
  return new CombinedSchemas([...found]);
}

function listApplicableSchemas(
  index: SchemaIndex,
  schema: SchemaObject,
  choice: number | undefined,
): readonly unknown[] {
  const found = [...listReferredSchemas(index, schema), ...[schema["allOf"] ?? []].flat()];
  return choice === undefined ? found : [...found, ...listChosenSchemas(schema, choice)];
}

function listReferredSchemas(index: SchemaIndex, schema: SchemaObject): readonly unknown[] {
  const base = index.findSchema(schema)?.resource.uri ?? "";
  return ["$ref", "$dynamicRef"].map((keyword) => {
    const text = schema[keyword];
    const uri = typeof text === "string" ? resolveUri(text, base) : undefined;
    return uri === undefined ? undefined : index.resolveReference(uri)?.node;
  });
}

function listChosenSchemas(schema: SchemaObject, choice: number): readonly unknown[] {
  const lists = [schema["anyOf"], schema["oneOf"]].filter((list) => Array.isArray(list) && list.length > 0);
  const found: unknown[] = (lists as readonly unknown[][]).map((list) => list[choice % list.length]);
  const { if: condition, then, else: otherwise } = schema;
  if (condition === undefined) return found;
  // If a condition has consequences, the example fulfils it, so that it shows the fuller form.
  return then === undefined ? [...found, otherwise] : [...found, condition, then];
}
