import { isSchemaNode, isSchemaObject, type SchemaNode, type SchemaObject } from "../schema_document.ts";
import { absoluteUri, type SchemaIndex } from "../schema_index.ts";

/** Schemas that one value has to fit at the same time, as many as are followed. */
const MAX_PARTS = 100;

/** Every schema that judges one value together: a schema, what it refers to, all of `allOf` and one of each choice. */
export class Parts {
  readonly schemas: readonly SchemaObject[];

  constructor(schemas: readonly SchemaObject[]) {
    this.schemas = schemas;
  }

  values(keyword: string): readonly unknown[] {
    return this.schemas.filter((schema) => Object.hasOwn(schema, keyword)).map((schema) => schema[keyword]);
  }

  first(keyword: string): unknown {
    return this.values(keyword)[0];
  }

  greatest(keyword: string): number | undefined {
    const numbers = this.values(keyword).filter((value) => typeof value === "number");
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }

  least(keyword: string): number | undefined {
    const numbers = this.values(keyword).filter((value) => typeof value === "number");
    return numbers.length === 0 ? undefined : Math.min(...numbers);
  }

  /** The texts of every list behind the keyword, each once. */
  names(keyword: string): readonly string[] {
    const lists = this.values(keyword).filter((value) => Array.isArray(value));
    return [...new Set(lists.flat().filter((name) => typeof name === "string"))];
  }

  /** The schemas behind the keyword. */
  nodes(keyword: string): readonly SchemaNode[] {
    return this.values(keyword).filter(isSchemaNode);
  }

  /** What a keyword that maps names to schemas says about each name. */
  members(keyword: string): ReadonlyMap<string, readonly SchemaNode[]> {
    const members = new Map<string, SchemaNode[]>();
    for (const map of this.values(keyword).filter(isSchemaObject)) {
      for (const [name, node] of Object.entries(map)) {
        if (isSchemaNode(node)) members.set(name, [...(members.get(name) ?? []), node]);
      }
    }
    return members;
  }
}

/**
 * Collects the parts that some schemas are made of.
 *
 * @param choice which of `anyOf` and `oneOf` is taken; counts round. Without it no choice and no condition is followed
 */
export function partsOf(index: SchemaIndex, nodes: readonly SchemaNode[], choice: number | undefined): Parts {
  const found = new Set<SchemaObject>(nodes.filter(isSchemaObject));
  for (const schema of found) {
    if (found.size > MAX_PARTS) break;
    // Iteration over a set includes items added during it.
    for (const next of partsTogether(index, schema, choice)) if (isSchemaObject(next)) found.add(next);
  }
  return new Parts([...found]);
}

function partsTogether(index: SchemaIndex, schema: SchemaObject, choice: number | undefined): readonly unknown[] {
  const found = [...referredParts(index, schema), ...[schema["allOf"] ?? []].flat()];
  return choice === undefined ? found : [...found, ...chosenParts(schema, choice)];
}

function referredParts(index: SchemaIndex, schema: SchemaObject): readonly unknown[] {
  const base = index.place(schema)?.resource.uri ?? "";
  return ["$ref", "$dynamicRef"].map((keyword) => {
    const text = schema[keyword];
    const uri = typeof text === "string" ? absoluteUri(text, base) : undefined;
    return uri === undefined ? undefined : index.resolve(uri)?.node;
  });
}

function chosenParts(schema: SchemaObject, choice: number): readonly unknown[] {
  const lists = [schema["anyOf"], schema["oneOf"]].filter((list) => Array.isArray(list) && list.length > 0);
  const found: unknown[] = (lists as readonly unknown[][]).map((list) => list[choice % list.length]);
  const { if: condition, then, else: otherwise } = schema;
  if (condition === undefined) return found;
  // The example is made to fulfil the condition where something follows from it, so that it shows the fuller form.
  return then === undefined ? [...found, otherwise] : [...found, condition, then];
}
