import { type DescField, type DescMessage, type JsonObject, ScalarType } from "@bufbuild/protobuf";

/** One step to a value inside a request: a field, the first item of a list. */
export interface Step {
  readonly field: DescField;
  readonly inList: boolean;
}

export interface BadRequest {
  readonly steps: readonly Step[];
  readonly what: string;
  /** The bad value as JSON text, since JavaScript's own values cannot say all that JSON can. */
  readonly json: string;
  /** By which calls it must be refused, naming the field. */
  readonly refused: "always" | "on change" | "maybe";
}

type Poison = Omit<BadRequest, "steps">;

const text = (value: unknown) => JSON.stringify(value);
const always = (what: string, json: string): Poison => ({ what, json, refused: "always" });
const onChange = (what: string, json: string): Poison => ({ what, json, refused: "on change" });
const maybe = (what: string, json: string): Poison => ({ what, json, refused: "maybe" });

const OBJECT = always("an object", "{}");
const WORD = always("a word", '"many"');
const YES = always("a truth", "true");
const LIST = always("a list in a list", "[[]]");

const STRINGS: readonly Poison[] = [
  always("a number", "5"),
  YES,
  OBJECT,
  LIST,
  onChange("100,000 characters", text("x".repeat(100_000))),
  onChange("half a surrogate pair", '"a\\ud800b"'),
  onChange("a NUL", '"a\\u0000b"'),
  maybe("SQL", text(`'; DROP TABLE device; -- "\`\\`)),
  maybe("a way out of a folder", text("../../../etc/passwd")),
  maybe("markup and a template", text("<script>alert(1)</script>$" + "{jndi:ldap://x} {{7*7}} %n%s")),
  maybe("a name of JavaScript", text("__proto__")),
  maybe("text that turns around", text("a\u202eb\u2066")),
];

const INTEGERS: readonly Poison[] = [
  WORD,
  YES,
  OBJECT,
  LIST,
  always("a fraction", "1.5"),
  always("more than 32 bits", "4294967296"),
  always("more than a number", "1e400"),
  always("no number", '"NaN"'),
  maybe("the lowest", "-2147483648"),
  maybe("the highest", "2147483647"),
];

const DOUBLES: readonly Poison[] = [
  WORD,
  YES,
  OBJECT,
  LIST,
  always("no number", '"NaN"'),
  always("infinity", '"Infinity"'),
  always("infinity below", '"-Infinity"'),
  always("more than a number", "1e400"),
  maybe("below zero", "-1"),
  maybe("minus zero", "-0"),
  maybe("the highest", "1.7976931348623157e308"),
];

const ENUMS: readonly Poison[] = [
  always("an unknown word", '"NO_SUCH_WORD"'),
  always("a fraction", "1.5"),
  OBJECT,
  YES,
  LIST,
  onChange("an unknown number", "999"),
  onChange("a number below zero", "-1"),
];

const MESSAGES: readonly Poison[] = [
  WORD,
  always("a number", "5"),
  YES,
  LIST,
  onChange("an unknown field", '{"no_such_field": 1}'),
  maybe("a field of JavaScript", '{"__proto__": {"polluted": true}, "constructor": 1}'),
];

const MOMENTS: readonly Poison[] = [
  WORD,
  always("a number", "5"),
  OBJECT,
  always("a day that is none", '"2026-02-30T25:61:61Z"'),
  maybe("a far past", '"0001-01-01T00:00:00Z"'),
];

const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
const STRUCTS: readonly Poison[] = [WORD, always("a number", "5"), maybe("a deep nest", deep)];
const BYTES: readonly Poison[] = [always("a number", "5"), OBJECT];

function scalarPoisons(scalar: ScalarType | undefined): readonly Poison[] {
  switch (scalar) {
    case ScalarType.BOOL:
      return [always("a number", "5"), always("a word", '"yes"'), OBJECT, LIST];
    case ScalarType.INT32:
    case ScalarType.SINT32:
      return INTEGERS;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return DOUBLES;
    case ScalarType.BYTES:
      return BYTES;
    default:
      return STRINGS;
  }
}

function valuePoisons({ message, enum: words, scalar }: DescField): readonly Poison[] {
  if (message?.typeName === "google.protobuf.Timestamp") return MOMENTS;
  if (message?.typeName === "google.protobuf.Struct") return STRUCTS;
  if (message?.typeName === "google.protobuf.FieldMask") {
    return [always("a number", "5"), OBJECT, onChange("no path of the resource", '"noSuchField"')];
  }
  if (message !== undefined) return MESSAGES;
  return words === undefined ? scalarPoisons(scalar) : ENUMS;
}

function poisonsOf(field: DescField): readonly Poison[] {
  if (field.fieldKind === "map") {
    const pairs = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, "v"]));
    return [
      WORD,
      always("a number", "5"),
      always("a value that is a number", '{"k": 5}'),
      onChange("5,000 pairs", text(pairs)),
      onChange("a key of 100,000 characters", text({ ["k".repeat(100_000)]: "v" })),
      onChange("a value with a NUL", '{"k": "a\\u0000b"}'),
      maybe("a name of JavaScript", '{"__proto__": "x", "constructor": "y"}'),
    ];
  }
  if (field.fieldKind !== "list") return valuePoisons(field);
  const many = field.message === undefined ? manyItems(field) : "{}";
  return [
    // GraphQL takes one item for a list of one.
    ...(field.message === undefined ? [OBJECT] : []),
    always("a list of lists", "[[[]]]"),
    always("nothing in a list", "[null]"),
    onChange("20,000 items", `[${Array(20_000).fill(many).join(",")}]`),
  ];
}

function manyItems({ enum: words, scalar }: DescField): string {
  if (words !== undefined) return text(words.values[1]?.name);
  return scalar === ScalarType.STRING ? '"many"' : "1";
}

/** Messages that are asked for in one form only, whatever they hold. */
const CLOSED = /^google\./;

/**
 * Every bad value for every field of a request, messages inside it included. A message that was seen by `visited` is
 * not walked again: it is read by the same code wherever it stands.
 */
export function* badRequests(
  input: DescMessage,
  visited: Set<DescMessage>,
  before: readonly Step[] = [],
): Generator<BadRequest> {
  for (const field of input.fields) {
    const whole = [...before, { field, inList: false }];
    const inside = [...before, { field, inList: field.fieldKind === "list" }];
    const outside = poisonsOf(field).map((poison) => ({ steps: whole, ...poison }));
    const items = field.fieldKind === "list" ? valuePoisons(field).map((poison) => ({ steps: inside, ...poison })) : [];
    yield* [...outside, ...items];
    const { message } = field;
    if (message === undefined || field.fieldKind === "map" || CLOSED.test(message.typeName)) continue;
    if (visited.has(message)) continue;
    visited.add(message);
    yield* badRequests(message, visited, inside);
  }
}

/** Where the bad value lies, with the field names that `nameOf` gives: `device.ports[0].name`. */
export function pathOf({ steps }: BadRequest, nameOf: (field: DescField) => string): string {
  return steps.map(({ field, inList }) => nameOf(field) + (inList ? "[0]" : "")).join(".");
}

/** What an item holds at least, so that it is refused for the bad value and not for what it lacks. */
const SMALLEST: Readonly<Record<string, JsonObject>> = {
  mappings: { front_position: 1, rear_port: "R", rear_position: 1 },
  reservations: { units: [5] },
};

function smallest({ name, message }: DescField, nameOf: (field: DescField) => string): JsonObject {
  const given = SMALLEST[name] ?? {};
  const fields = (message?.fields ?? []).filter((field) => given[field.name] !== undefined);
  return Object.fromEntries(fields.map((field) => [nameOf(field), given[field.name] ?? null]));
}

const MARK = "\u2603";

/** Takes away what stands in the place of a field of a oneof. */
function dropAlternatives(at: Record<string, unknown>, field: DescField, nameOf: (field: DescField) => string): void {
  for (const other of field.oneof?.fields ?? []) if (other !== field) delete at[nameOf(other)];
}

/** The request as JSON text, with the field names that `nameOf` gives. */
export function requestText(
  base: JsonObject,
  { steps, json }: BadRequest,
  nameOf: (field: DescField) => string,
): string {
  const request = structuredClone(base) as Record<string, unknown>;
  let at = request;
  for (const [index, { field, inList }] of steps.entries()) {
    const name = nameOf(field);
    const last = index === steps.length - 1;
    dropAlternatives(at, field, nameOf);
    if (inList) {
      const [first = smallest(field, nameOf)] = (at[name] ?? []) as unknown[];
      at[name] = [last ? MARK : first];
      at = first as Record<string, unknown>;
    } else {
      at[name] = last ? MARK : (at[name] ?? {});
      at = at[name] as Record<string, unknown>;
    }
  }
  return JSON.stringify(request).replace(`"${MARK}"`, () => json);
}
