import { isEqualJson } from "#kernel/equal_json.ts";
import { createStepLimit, evaluateValue, TooManySteps } from "../evaluate.ts";
import { linkSchema } from "../link_schema.ts";
import type { LinkedSchema } from "../linked_schema.ts";
import { type SchemaBundle, SchemaError, type SchemaNode, type SchemaObject } from "../schema_document.ts";
import { SchemaIndex } from "../schema_index.ts";
import { canWritePattern, createExampleNumber, createExampleText } from "./example_scalar.ts";
import { type CombinedSchemas, collectSchemas } from "./parts.ts";

/** Number of optional fields in an example. */
const MAX_OPTIONAL_FIELDS = 3;

/** Maximum depth of an example, because a recursive schema has no end. */
const MAX_EXAMPLE_DEPTH = 8;

/** Maximum number of items of a list in an example, even if the schema requires more. */
const MAX_LIST_ITEMS = 20;

/** Maximum number of values in an example: required fields within required fields can grow without end. */
const MAX_EXAMPLE_VALUES = 300;

/** Indexes of the alternatives that are tried, in order, until an example matches. */
const ALTERNATIVE_INDEXES = [0, 1, 2, 3] as const;

export interface SchemaExample {
  readonly value: unknown;
  /** True if the value matches the schema; texts are assumed to match their pattern. */
  readonly fits: boolean;
}

/**
 * Creates a small value for the first schema of a bundle: the required fields and up to three others, using the
 * author's `const`, `examples`, `default` and `enum` if present.
 *
 * Cost: a few values and evaluations. Patterns are never run, so a hostile one does no harm.
 */
export function createExample(bundle: SchemaBundle): SchemaExample {
  const index = new SchemaIndex();
  for (const document of bundle) index.addDocument(document);
  const root = index.resolveReference(bundle[0].uris[0])?.node ?? true;
  const fits = createSchemaTest(index, bundle);
  const attempts = ALTERNATIVE_INDEXES.flatMap((choice) => [
    { choice, hints: true },
    { choice, hints: false },
  ]);
  let first: unknown;
  for (const attempt of attempts) {
    const maker = new ExampleBuilder(index, attempt);
    const value = maker.createValue([root]) ?? null;
    if (!maker.hasGuessedText && fits(value)) return { value, fits: true };
    first ??= value;
  }
  return { value: first ?? null, fits: false };
}

function createSchemaTest(index: SchemaIndex, [{ uris }]: SchemaBundle): (value: unknown) => boolean {
  try {
    const schema = linkSchema(index, uris[0], () => true);
    return (value) => fitsWithinSteps(schema, value);
  } catch (error) {
    if (error instanceof SchemaError) return () => false;
    throw error;
  }
}

function fitsWithinSteps(schema: LinkedSchema, value: unknown): boolean {
  try {
    return evaluateValue(schema, value, createStepLimit()).count === 0;
  } catch (error) {
    if (error instanceof TooManySteps) return false;
    throw error;
  }
}

interface ValueRequest {
  /** Number of the item in its list, which makes the items differ. */
  readonly nth?: number;
  /** True if the value may be left out; a schema inside itself is then not followed. */
  readonly optional?: boolean;
}

class ExampleBuilder {
  readonly #openSchemas: SchemaObject[] = [];
  #depth = 0;
  #guessed = false;
  #remainingValues = MAX_EXAMPLE_VALUES;
  readonly #index: SchemaIndex;
  readonly #choice: number;
  readonly #usesHints: boolean;

  constructor(index: SchemaIndex, { choice, hints }: { choice: number; hints: boolean }) {
    this.#index = index;
    this.#choice = choice;
    this.#usesHints = hints;
  }

  /** True if a text was written for a pattern that it may not match. */
  get hasGuessedText(): boolean {
    return this.#guessed;
  }

  /** Creates a value that matches several schemas at once; undefined if none was found. */
  createValue(nodes: readonly SchemaNode[], { nth = 0, optional = false }: ValueRequest = {}): unknown {
    const parts = collectSchemas(this.#index, nodes, this.#choice);
    const repeats = optional && parts.schemas.some((schema) => this.#openSchemas.includes(schema));
    this.#remainingValues -= 1;
    if (nodes.includes(false) || repeats || this.#depth > MAX_EXAMPLE_DEPTH || this.#remainingValues < 0)
      return undefined;
    const given = this.#findAuthorValue(parts, nth);
    if (given !== undefined) return given.value;
    this.#openSchemas.push(...parts.schemas);
    this.#depth += 1;
    const made = this.#createTypedValue(parts, nth);
    this.#depth -= 1;
    this.#openSchemas.length -= parts.schemas.length;
    return made;
  }

  /** Returns a value that the schema's author provided. */
  #findAuthorValue(parts: CombinedSchemas, nth: number): { readonly value: unknown } | undefined {
    const [constant] = parts.listValues("const");
    if (constant !== undefined) return { value: constant };
    const hinted = this.#usesHints ? [...parts.listValues("examples").flat(), ...parts.listValues("default")] : [];
    if (nth < hinted.length) return { value: hinted[nth] };
    const lists = parts.listValues("enum").filter((list) => Array.isArray(list));
    const [first, ...others] = lists;
    const allowed = first?.filter((value) => others.every((list) => list.some((other) => isEqualJson(value, other))));
    return allowed === undefined || allowed.length === 0 ? undefined : { value: allowed[nth % allowed.length] };
  }

  #createTypedValue(parts: CombinedSchemas, nth: number): unknown {
    switch (selectExampleType(parts)) {
      case "object":
        return this.#createObject(parts);
      case "array":
        return this.#createArray(parts);
      case "integer":
        return createExampleNumber(parts, true, nth);
      case "number":
        return createExampleNumber(parts, false, nth);
      case "boolean":
        return nth % 2 === 0;
      case "null":
        return null;
      default:
        this.#guessed ||= !canWritePattern(parts);
        return createExampleText(parts, nth);
    }
  }

  #createObject(parts: CombinedSchemas): unknown {
    const properties = parts.mapMembers("properties");
    const fields = new Map<string, unknown>();
    for (const name of listRequiredNames(parts)) {
      fields.set(name, this.createValue(listFieldSchemas(parts, name)) ?? null);
    }
    const wanted = Math.max(parts.findGreatest("minProperties") ?? 0, fields.size + MAX_OPTIONAL_FIELDS);
    const size = Math.min(wanted, parts.findLeast("maxProperties") ?? wanted);
    for (const [name, nodes] of properties) {
      if (fields.size >= size || fields.has(name)) continue;
      const value = this.createValue(nodes, { optional: true });
      if (value !== undefined) fields.set(name, value);
    }
    for (let more = 1; fields.size < (parts.findGreatest("minProperties") ?? 0) && more <= MAX_LIST_ITEMS; more++) {
      fields.set(`field${more}`, this.createValue(listFieldSchemas(parts, `field${more}`)) ?? null);
    }
    return Object.fromEntries(
      [...fields].toSorted(([a], [b]) => getFieldPosition(properties, a) - getFieldPosition(properties, b)),
    );
  }

  #createArray(parts: CombinedSchemas): unknown {
    const items: unknown[] = [];
    const add = (nodes: readonly SchemaNode[], wish: ValueRequest): boolean => {
      const value = this.createValue(nodes, wish);
      if (value !== undefined) items.push(value);
      return value !== undefined;
    };
    const prefix = parts.listValues("prefixItems").find((list) => Array.isArray(list)) ?? [];
    for (const node of prefix) add([node], {});
    const contained = parts.listSchemas("contains");
    const rest = parts.listSchemas("items");
    const contains = contained.length === 0 ? 0 : Math.min(parts.findGreatest("minContains") ?? 1, MAX_LIST_ITEMS);
    for (let nth = 0; nth < contains; nth++) add([...contained, ...rest], { nth });
    const least = Math.min(parts.findGreatest("minItems") ?? 0, MAX_LIST_ITEMS);
    while (items.length < least && add(rest, { nth: items.length - prefix.length }));
    if (items.length === 0 && rest.length > 0) add(rest, { optional: true });
    return items.slice(0, parts.findLeast("maxItems"));
  }
}

/** Returns the type that every part allows; of several types the one with the most structure. */
function selectExampleType(parts: CombinedSchemas): string {
  const demands = parts.listValues("type").map((type) => [type].flat() as string[]);
  const [first, ...others] = demands;
  const common = first?.filter((type) =>
    others.every((types) => types.includes(type) || (type === "integer" && types.includes("number"))),
  );
  const order = ["object", "array", "string", "integer", "number", "boolean", "null"];
  return order.find((type) => common?.includes(type)) ?? deduceImpliedType(parts);
}

/** Returns the type to which the keywords apply, if no type is given. */
function deduceImpliedType(parts: CombinedSchemas): string {
  const implied: readonly (readonly [string, readonly string[]])[] = [
    ["object", ["properties", "required", "additionalProperties", "patternProperties", "minProperties"]],
    ["array", ["items", "prefixItems", "contains", "minItems", "uniqueItems"]],
    ["string", ["pattern", "format", "minLength", "maxLength"]],
    ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ];
  return (
    implied.find(([, keywords]) => keywords.some((keyword) => parts.listValues(keyword).length > 0))?.[0] ?? "string"
  );
}

function listRequiredNames(parts: CombinedSchemas): readonly string[] {
  const names = new Set(parts.listNames("required"));
  for (const dependents of parts.listValues("dependentRequired")) {
    for (const name of names) {
      const needed = (dependents as Readonly<Record<string, unknown>>)[name];
      if (Array.isArray(needed)) for (const other of needed) names.add(other);
    }
  }
  return [...names];
}

function listFieldSchemas(parts: CombinedSchemas, name: string): readonly SchemaNode[] {
  return parts.mapMembers("properties").get(name) ?? parts.listSchemas("additionalProperties");
}

/** Returns the position of a declared field; other fields come after all declared ones. */
function getFieldPosition(properties: ReadonlyMap<string, unknown>, name: string): number {
  const index = [...properties.keys()].indexOf(name);
  return index < 0 ? properties.size : index;
}
