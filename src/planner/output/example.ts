import { isSchemaNode, isSchemaObject, type SchemaIndex, type SchemaNode, type SchemaObject } from "./schema_index.ts";

/** Maximum number of schemas that are combined for one value. */
const MAX_COMBINED_SCHEMAS = 100;

/** Number of optional fields in an example. */
const MAX_OPTIONAL_FIELDS = 3;

/** Maximum depth of an example, because a recursive schema has no end. */
const MAX_EXAMPLE_DEPTH = 8;

/** Maximum number of items of a list in an example, even if the schema requires more. */
const MAX_LIST_ITEMS = 20;

/** Maximum number of values in an example: required fields within required fields can grow without end. */
const MAX_EXAMPLE_VALUES = 300;

/** Maximum length of a text in an example, and of a pattern for which one is written, because people read it. */
const MAX_TEXT_CHARS = 2000;

/** All schemas for one value: a schema, those that it refers to, and all of `allOf`. */
export interface CombinedSchema {
  readonly parts: readonly SchemaObject[];
  /** Each keyword's first value among the parts. */
  readonly keywords: SchemaObject;
  readonly required: readonly string[];
  /** The schemas of each property. */
  readonly properties: ReadonlyMap<string, readonly SchemaNode[]>;
}

/**
 * Combines the schemas that apply together with `nodes`.
 * @param takesAlternatives true to add the first alternative of `anyOf` and `oneOf`, and `then`
 */
export function combineSchemas(
  index: SchemaIndex,
  nodes: readonly SchemaNode[],
  takesAlternatives: boolean,
): CombinedSchema {
  const found = new Set<SchemaObject>(nodes.filter(isSchemaObject));
  // A loop over a Set includes items added during it.
  for (const schema of found) {
    if (found.size > MAX_COMBINED_SCHEMAS) break;
    const references = (["$ref", "$dynamicRef"] as const).map(
      (keyword) => index.followReference(schema, keyword)?.node,
    );
    const chosen = takesAlternatives ? listChosenSchemas(schema) : [];
    for (const next of [...references, schema["allOf"], chosen].flat()) if (isSchemaObject(next)) found.add(next);
  }
  const parts = [...found];
  const required = parts.flatMap((part) => part["required"] ?? []).filter((name) => typeof name === "string");
  return {
    parts,
    keywords: Object.assign({}, ...parts.toReversed()),
    required: [...new Set(required)],
    properties: collectProperties(parts),
  };
}

function collectProperties(parts: readonly SchemaObject[]): ReadonlyMap<string, readonly SchemaNode[]> {
  const properties = new Map<string, SchemaNode[]>();
  for (const named of parts.map((part) => part["properties"]).filter(isSchemaObject)) {
    for (const [name, node] of Object.entries(named)) {
      if (isSchemaNode(node)) properties.set(name, [...(properties.get(name) ?? []), node]);
    }
  }
  return properties;
}

function listChosenSchemas({ anyOf, oneOf, if: condition, then }: SchemaObject): readonly unknown[] {
  const first = [anyOf, oneOf].map((list) => (Array.isArray(list) ? list.find((each) => each !== false) : undefined));
  return then === undefined ? first : [...first, condition, then];
}

/**
 * Creates a small value for a schema: the required fields and up to three others, using the author's `const`, `examples`,
 * `default` and `enum` if present. It fits ordinary schemas; whether it does is for the checker to say.
 */
export function createExample(index: SchemaIndex, root: SchemaNode): unknown {
  return new ExampleBuilder(index).createValue([root]) ?? null;
}

class ExampleBuilder {
  readonly #index: SchemaIndex;
  readonly #openSchemas: SchemaObject[] = [];
  #depth = 0;
  #remainingValues = MAX_EXAMPLE_VALUES;

  constructor(index: SchemaIndex) {
    this.#index = index;
  }

  /**
   * Creates a value for several schemas at once; undefined if none was found.
   * @param nth number of the item in its list, which makes items differ
   * @param isOptional true if the value may be left out; a schema inside itself is then not followed
   */
  createValue(nodes: readonly SchemaNode[], nth = 0, isOptional = false): unknown {
    const schema = combineSchemas(this.#index, nodes, true);
    const repeats = isOptional && schema.parts.some((part) => this.#openSchemas.includes(part));
    this.#remainingValues -= 1;
    if (nodes.includes(false) || repeats || this.#depth > MAX_EXAMPLE_DEPTH || this.#remainingValues < 0)
      return undefined;
    const { const: constant, examples, default: usual, enum: allowed } = schema.keywords;
    if (constant !== undefined) return constant;
    const given = [examples, usual, allowed].flat().filter((value) => value !== undefined);
    if (given.length > 0) return given[nth % given.length];
    this.#openSchemas.push(...schema.parts);
    this.#depth += 1;
    const value = this.#createTypedValue(schema, nth);
    this.#depth -= 1;
    this.#openSchemas.length -= schema.parts.length;
    return value;
  }

  #createTypedValue(schema: CombinedSchema, nth: number): unknown {
    const type = selectType(schema.keywords);
    if (type === "object") return this.#createObject(schema);
    if (type === "array") return this.#createArray(schema.keywords);
    if (type === "integer" || type === "number") return createNumber(schema.keywords, type === "integer", nth);
    if (type === "boolean") return nth % 2 === 0;
    return type === "null" ? null : createText(schema.keywords, nth);
  }

  #createObject({ properties, required }: CombinedSchema): unknown {
    let optional = MAX_OPTIONAL_FIELDS;
    const fields: [string, unknown][] = [];
    for (const [name, nodes] of properties) {
      const isRequired = required.includes(name);
      if (!isRequired && optional === 0) continue;
      const value = this.createValue(nodes, 0, !isRequired);
      if (value === undefined && !isRequired) continue;
      fields.push([name, value ?? null]);
      if (!isRequired) optional -= 1;
    }
    const others = required.filter((name) => !properties.has(name));
    return Object.fromEntries([...fields, ...others.map((name) => [name, "text"] as const)]);
  }

  #createArray({ prefixItems, items, minItems, maxItems }: SchemaObject): unknown {
    const prefix = Array.isArray(prefixItems) ? prefixItems.filter(isSchemaNode) : [];
    const values = prefix.map((node) => this.createValue([node]) ?? null);
    const least = Math.min(getNumber(minItems) ?? 0, MAX_LIST_ITEMS);
    const wanted = prefix.length === 0 && isSchemaNode(items) ? Math.max(least, 1) : least;
    while (values.length < Math.min(wanted, getNumber(maxItems) ?? wanted)) {
      const isOptional = values.length >= least;
      const value = this.createValue([isSchemaNode(items) ? items : true], values.length - prefix.length, isOptional);
      if (value === undefined && isOptional) break;
      values.push(value ?? null);
    }
    return values;
  }
}

function getNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Returns a type that the schema allows, the one with the most structure, or the one to which its keywords apply. */
function selectType(schema: SchemaObject): string {
  const types = [schema["type"]].flat();
  const implied: readonly (readonly [string, readonly string[]])[] = [
    ["object", ["properties", "required", "additionalProperties", "patternProperties", "minProperties"]],
    ["array", ["items", "prefixItems", "contains", "minItems", "uniqueItems"]],
    ["string", ["pattern", "format", "minLength", "maxLength"]],
    ["integer", []],
    ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
    ...(["boolean", "null"] as const).map((type) => [type, []] as const),
  ];
  const named = implied.find(([type]) => types.includes(type));
  const fitting = named ?? implied.find(([, keywords]) => keywords.some((keyword) => Object.hasOwn(schema, keyword)));
  return fitting?.[0] ?? "string";
}

/** Example texts by format. Source: JSON Schema 2020-12 Validation, 7.3; names from RFC 2606, 3849 and 5737. */
const FORMAT_EXAMPLES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    ...{ date: "2026-01-31", "date-time": "2026-01-31T09:30:00Z", time: "09:30:00Z", duration: "PT1H30M" },
    ...{ email: "name@example.com", hostname: "www.example.com", ipv4: "192.0.2.1", ipv6: "2001:db8::1" },
    ...{ uri: "https://example.com/", "uri-reference": "/path", "uri-template": "https://example.com/{id}" },
    ...{ uuid: "123e4567-e89b-42d3-a456-426614174010", "json-pointer": "/name", regex: "^[a-z]$" },
  }),
);

function createText({ pattern, format, minLength, maxLength }: SchemaObject, nth: number): string {
  const matching = typeof pattern === "string" ? writePatternText(pattern) : FORMAT_EXAMPLES.get(format);
  if (matching !== undefined) return matching;
  const least = Math.min(getNumber(minLength) ?? 0, MAX_TEXT_CHARS);
  return (nth === 0 ? "text" : `text ${nth + 1}`).padEnd(least, "text").slice(0, getNumber(maxLength));
}

/** Creates a number within the limits, near 1; different `nth` give different numbers. */
function createNumber(schema: SchemaObject, isWhole: boolean, nth: number): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const unit = getNumber(multipleOf) ?? (isWhole ? 1 : undefined);
  const above = getNumber(exclusiveMinimum) ?? Number.NEGATIVE_INFINITY;
  const below = getNumber(exclusiveMaximum) ?? Number.POSITIVE_INFINITY;
  const gap = unit ?? Math.min(1, ((getNumber(maximum) ?? below) - (getNumber(minimum) ?? above)) / 2);
  const low = Math.max(getNumber(minimum) ?? Number.NEGATIVE_INFINITY, above + gap);
  const high = Math.min(getNumber(maximum) ?? Number.POSITIVE_INFINITY, below - gap);
  const start = Math.min(Math.max(1, low), high);
  if (unit === undefined) return Math.min(start + nth, high);
  const first = Math.ceil(start / unit) * unit;
  const fitting = first > high ? Math.floor(high / unit) * unit : first;
  const next = fitting + nth * unit > high ? fitting - nth * unit : fitting + nth * unit;
  // Removes the error of binary fractions: 3 × 0.1 becomes 0.3.
  return Number(next.toPrecision(15));
}

/**
 * Writes the shortest text for a simple regular expression: literals, classes, groups, alternatives and repetitions.
 * Returns undefined for lookarounds, back-references, word boundaries and properties.
 */
export function writePatternText(pattern: string): string | undefined {
  if (pattern.length > MAX_TEXT_CHARS) return undefined;
  let rest = pattern.replace(/^\^/, "").replace(/(?<!\\)\$$/, "");
  const take = (expression: RegExp): RegExpExecArray | null => {
    const match = expression.exec(rest);
    rest = rest.slice(match?.[0].length ?? 0);
    return match;
  };
  const writeAtom = (): string | undefined => {
    if (take(/^\((?:\?:)?(?!\?)/)) {
      const inside = writeAlternatives();
      return take(/^\)/) ? inside : undefined;
    }
    const set = take(/^\[(?:\\.|[^\]\\])*\]/);
    if (set !== null) return findMember(set[0]);
    const escaped = take(/^\\([dws]|[^\p{L}\p{N}_])/u)?.[1];
    if (escaped !== undefined) return { d: "1", w: "a", s: " " }[escaped] ?? escaped;
    return take(/^\./) ? "a" : take(/^[^\\[\](){}*+?|^$.]/u)?.[0];
  };
  const writeSequence = (): string | undefined => {
    let text = "";
    while (rest !== "" && !/^[|)]/.test(rest)) {
      const piece = writeAtom();
      const repetition = take(/^(?:[*?+]|\{(\d+)(?:,\d*)?\})\??/);
      const isOnce = repetition === null || repetition[0].startsWith("+");
      const times = isOnce ? 1 : Number(repetition[1] ?? 0);
      if (piece === undefined || text.length + piece.length * times > MAX_TEXT_CHARS) return undefined;
      text += piece.repeat(times);
    }
    return text;
  };
  const writeAlternatives = (): string | undefined => {
    const first = writeSequence();
    while (take(/^\|/)) if (writeSequence() === undefined) return undefined;
    return first;
  };
  const text = writeAlternatives();
  return rest === "" ? text : undefined;
}

/** Returns a letter of a class such as `[a-z]` or `[^0-9]`, or undefined. */
function findMember(set: string): string | undefined {
  const own = set.startsWith("[^") ? "" : set.slice(1, -1).replaceAll("\\", "");
  try {
    const expression = new RegExp(`^${set}$`, "u");
    return [...own, ..."a1A-_ .,:;/+*#@!?=x0Zé"].find((letter) => expression.test(letter));
  } catch {
    return undefined;
  }
}
