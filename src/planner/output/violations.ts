import type { ErrorObject } from "ajv/dist/2020.js";
import { escapeLineSeparators } from "#kernel/json_object.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { findEqualItems } from "./compile_schema.ts";

/** A violation of the schema by a value. */
interface SchemaViolation {
  /** JSON pointer to the value; empty for the root. */
  readonly pointer: string;
  /** The violation, without its location. */
  readonly what: string;
  /** True if the message is about a field of the value; at the root it is then printed without a location. */
  readonly aboutField?: boolean;
  /** The accepted types, if only the type is wrong. */
  readonly types?: readonly string[];
  /** The accepted values, if the schema lists them. */
  readonly allowed?: readonly unknown[];
}

const MAX_SHOWN_VALUE_CHARS = 60;
const MAX_LISTED_VALUES = 10;

/** Formats a problem as `<pointer>: <what>`, with `output` for the root, whose pointer is empty. */
export function formatProblem({ pointer, what, aboutField }: SchemaViolation): string {
  if (pointer === "" && aboutField === true) return what;
  return `${pointer === "" ? "output" : replaceLineBreaks(pointer)}: ${what}`;
}

/** Formats a value as JSON, shortened if it is long. */
function formatValue(value: unknown): string {
  const text =
    typeof value === "string"
      ? escapeControls(JSON.stringify(value.slice(0, MAX_SHOWN_VALUE_CHARS + 1)))
      : formatShortJson(value);
  return text.length > MAX_SHOWN_VALUE_CHARS ? `${text.slice(0, MAX_SHOWN_VALUE_CHARS)}…` : text;
}

function formatShortJson(value: unknown): string {
  // A large value is not converted to JSON, because most of the text would be cut off.
  if (Array.isArray(value) && value.length > MAX_SHOWN_VALUE_CHARS) return `an array of ${value.length} items`;
  return escapeControls(JSON.stringify(value) ?? String(value));
}

function formatValueList(values: readonly unknown[]): string {
  const texts = values.slice(0, MAX_LISTED_VALUES).map(formatValue);
  const rest = values.length - texts.length;
  return rest > 0 ? `${texts.join(", ")} or ${rest} more` : texts.join(", ");
}

/** Formats a field's name in single quotes, on one line. */
function formatFieldName(name: string): string {
  return `'${replaceLineBreaks(name.length > MAX_SHOWN_VALUE_CHARS ? `${name.slice(0, MAX_SHOWN_VALUE_CHARS)}…` : name)}'`;
}

function replaceLineBreaks(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach a terminal
  return escapeControls(text.replace(/[\u0000-\u001f]/g, (letter) => JSON.stringify(letter).slice(1, -1)));
}

/** Escapes the control characters and line separators that JSON leaves as they are. */
function escapeControls(json: string): string {
  return escapeLineSeparators(
    json.replace(/[\u007f-\u009f]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  );
}

/** Returns the JSON Schema type of a value; `integer` for a number without a fraction. */
function getTypeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Number of unexpected items of one array that are named. */
const MAX_NAMED_ITEMS = 10;

type Sentence = Omit<SchemaViolation, "pointer"> & { readonly pointer?: string };

/** Writes the sentences of one error; `wanted` is the keyword's value in the schema. */
type WriteSentences = (error: ErrorObject, wanted: never) => Sentence | readonly Sentence[];

/** The sentence of each keyword whose error stands for itself. `if` and `$ref` are said by the errors below them. */
const SENTENCES: Readonly<Record<string, WriteSentences>> = {
  type: ({ data }, wanted: string | readonly string[]) => {
    const types = [wanted].flat();
    return { what: `expected ${types.join(" or ")}, got ${getTypeName(data)}`, types };
  },
  enum: ({ data }, allowed: readonly unknown[]) => {
    const some = allowed.length === 0 ? "no values" : formatValueList(allowed);
    const expected = allowed.length === 1 ? formatValue(allowed[0]) : `one of ${some}`;
    return { what: `expected ${expected}, got ${formatValue(data)}`, allowed };
  },
  const: ({ data }, wanted) => {
    return { what: `expected ${formatValue(wanted)}, got ${formatValue(data)}`, allowed: [wanted] };
  },
  ...createLimits("number", {
    ...{ minimum: "at least", exclusiveMinimum: "more than", maximum: "at most", exclusiveMaximum: "less than" },
    multipleOf: "a multiple of",
  }),
  ...createLimits("character", { minLength: "at least", maxLength: "at most" }),
  ...createLimits("item", { minItems: "at least", maxItems: "at most" }),
  ...createLimits("field", { minProperties: "at least", maxProperties: "at most" }),
  pattern: ({ data }, wanted) => {
    return { what: `expected text matching ${formatValue(wanted)}, got ${formatValue(data)}` };
  },
  format: ({ data }, wanted) => ({ what: `expected the format "${wanted}", got ${formatValue(data)}` }),
  uniqueItems: ({ data }) => {
    const [later, first] = findEqualItems(data as readonly unknown[]) ?? [];
    return { what: `expected unique items, got item ${later} equal to item ${first}` };
  },
  contains: describeContains,
  required: ({ params }) => describeMissingField(params["missingProperty"]),
  dependentRequired: describeDependentField,
  dependencies: describeDependentField,
  additionalProperties: ({ params }) => describeUnexpectedField(params["additionalProperty"]),
  unevaluatedProperties: ({ params }) => describeUnexpectedField(params["unevaluatedProperty"]),
  items: describeUnexpectedItems,
  unevaluatedItems: describeUnexpectedItems,
  "false schema": describeForbiddenValue,
  not: ({ data }) => ({ what: `expected anything but what "not" describes, got ${formatValue(data)}` }),
  if: () => [],
};

function createLimits(unit: "number" | "character" | "item" | "field", words: Readonly<Record<string, string>>) {
  const write = (expected: string): WriteSentences => {
    if (unit === "number") return ({ data }, limit) => ({ what: `expected ${expected} ${limit}, got ${data}` });
    return ({ data }, limit) => {
      return { what: `expected ${expected} ${formatCountWithNoun(limit, unit)}, got ${countParts(data)}` };
    };
  };
  return Object.fromEntries(Object.entries(words).map(([keyword, expected]) => [keyword, write(expected)]));
}

/** Counts the characters of a text, the items of an array or the fields of an object. */
function countParts(value: unknown): number {
  if (typeof value !== "string") return Object.keys(value as object).length;
  let count = value.length;
  for (const [pair] of value.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count -= pair.length - 1;
  return count;
}

function describeContains({ params, parentSchema }: ErrorObject): Sentence {
  const { minContains } = params;
  const most = parentSchema?.["maxContains"];
  const like = 'that "contains" describes';
  if (typeof most === "number") {
    return { what: `expected at least ${minContains} and at most ${formatCountWithNoun(most, "item")} ${like}` };
  }
  const found = minContains === 1 ? 0 : "fewer";
  return { what: `expected at least ${formatCountWithNoun(minContains, "item")} ${like}, got ${found}` };
}

function describeMissingField(name: string, because = ""): Sentence {
  return { what: `missing required field ${formatFieldName(name)}${because}`, aboutField: true };
}

function describeDependentField({ params }: ErrorObject): Sentence {
  return describeMissingField(params["missingProperty"], `, which field ${formatFieldName(params["property"])} needs`);
}

function describeUnexpectedField(name: string): Sentence {
  return { what: `unexpected field ${formatFieldName(name)}`, aboutField: true };
}

/** Names the items beyond those that the schema describes, each one if they are few. */
function describeUnexpectedItems({ params, data }: ErrorObject): Sentence | readonly Sentence[] {
  const { length } = data as readonly unknown[];
  const limit: number = params["limit"];
  if (length - limit > MAX_NAMED_ITEMS) {
    return { what: `expected at most ${formatCountWithNoun(limit, "item")}, got ${length}` };
  }
  return Array.from({ length: length - limit }, (_, nth) => ({ what: `unexpected item ${limit + nth}` }));
}

/** Describes a value whose schema is `false`, by the keyword above that schema. */
function describeForbiddenValue({ schemaPath, instancePath }: ErrorObject): Sentence {
  const [keyword, name = ""] = schemaPath.split("/").slice(-3);
  const [parent, token] = splitPointer(instancePath);
  if (keyword === "dependentSchemas") return describeUnexpectedField(decodeToken(decodeURIComponent(name)));
  if (keyword === "properties" || keyword === "patternProperties")
    return { ...describeUnexpectedField(token), pointer: parent };
  if (keyword === "prefixItems" || name === "items") return { what: `unexpected item ${token}`, pointer: parent };
  return { what: "no value is allowed here" };
}

function splitPointer(pointer: string): readonly [string, string] {
  const at = pointer.lastIndexOf("/");
  return [pointer.slice(0, at), decodeToken(pointer.slice(at + 1))];
}

function decodeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Violations with the number of Ajv's errors that they stand for. */
interface ReportedErrors {
  readonly violations: readonly SchemaViolation[];
  readonly size: number;
}

/**
 * Translates Ajv's errors. The errors of a keyword's alternatives come before its own error, which counts them in
 * `params.counts`; they become one explanation.
 */
export function translateErrors(errors: readonly ErrorObject[]): readonly SchemaViolation[] {
  const stack: ReportedErrors[] = [];
  for (const error of errors) {
    const counts: readonly number[] | undefined = error.params?.["counts"];
    if (counts === undefined) stack.push({ violations: translateError(error), size: 1 });
    else {
      const branches = takeBranches(stack, counts);
      const size = 1 + counts.reduce((sum, count) => sum + count, 0);
      stack.push({ violations: explainBranches(error, branches), size });
    }
  }
  return stack.flatMap(({ violations }) => violations);
}

function takeBranches(stack: ReportedErrors[], counts: readonly number[]): readonly (readonly SchemaViolation[])[] {
  const branches: SchemaViolation[][] = [];
  for (const count of counts.toReversed()) {
    const parts: (readonly SchemaViolation[])[] = [];
    for (let left = count; left > 0 && stack.length > 0; ) {
      const last = stack.pop() as ReportedErrors;
      left -= last.size;
      parts.push(last.violations);
    }
    branches.push(parts.toReversed().flat());
  }
  return branches.toReversed();
}

function translateError(error: ErrorObject): readonly SchemaViolation[] {
  const write = SENTENCES[error.keyword];
  const sentences = write?.(error, error.schema as never) ?? { what: `does not fit the keyword "${error.keyword}"` };
  return [sentences].flat().map((sentence) => ({ pointer: error.instancePath, ...sentence }));
}

function explainBranches(
  { keyword, params, instancePath: pointer, data }: ErrorObject,
  branches: readonly (readonly SchemaViolation[])[],
): readonly SchemaViolation[] {
  if (keyword === "propertyNames") {
    const reason = branches.flat()[0];
    const name = formatFieldName(params["name"]);
    const what = `field name ${name} is not allowed${reason === undefined ? "" : `: ${reason.what}`}`;
    return [{ pointer, what, aboutField: true }];
  }
  if (Array.isArray(params["passing"])) {
    const passing = params["passing"].join(" and ");
    return [{ pointer, what: `expected exactly one alternative of "oneOf" to fit, got alternatives ${passing}` }];
  }
  return explainAlternatives(branches, data, pointer);
}

/** Number of alternatives whose first problem is reported if none is clearly the intended one. */
const MAX_REPORTED_ALTERNATIVES = 3;

/**
 * Explains with few lines why a value matches none of several schemas. The intended one is often clear from the value's
 * type, or is the one alternative whose constants match.
 * @param branches problems by alternative, none of them empty
 */
function explainAlternatives(
  branches: readonly (readonly SchemaViolation[])[],
  value: unknown,
  at: string,
): readonly SchemaViolation[] {
  const ofType = branches.filter((problems) => findExpectedTypes(problems, at) === undefined);
  if (ofType.length === 0) return [describeWrongType(branches, value, at)];
  const meant = ofType.filter((problems) => !problems.some(hasWrongConstant));
  const [only] = meant.length === 1 ? meant : ofType;
  if (only !== undefined && (meant.length === 1 || ofType.length === 1)) return only;
  return [describeWrongConstant(ofType, value, at) ?? describeMissingMatch(branches.length, ofType, at)];
}

/** Returns the types that an alternative accepts, or undefined if the value's type is correct. */
function findExpectedTypes(problems: readonly SchemaViolation[], at: string): readonly string[] | undefined {
  return problems.find((problem) => problem.pointer === at && problem.types !== undefined)?.types;
}

function hasWrongConstant({ allowed }: SchemaViolation): boolean {
  return allowed !== undefined;
}

function describeWrongType(
  branches: readonly (readonly SchemaViolation[])[],
  value: unknown,
  at: string,
): SchemaViolation {
  const types = [...new Set(branches.flatMap((problems) => findExpectedTypes(problems, at) ?? []))];
  return { pointer: at, what: `expected ${types.join(" or ")}, got ${getTypeName(value)}`, types };
}

/** Returns one problem with all accepted values if every alternative is a constant or an enumeration. */
function describeWrongConstant(
  branches: readonly (readonly SchemaViolation[])[],
  value: unknown,
  at: string,
): SchemaViolation | undefined {
  const lists = branches.map(([first, second]) =>
    first?.pointer === at && second === undefined ? first?.allowed : undefined,
  );
  const allowed = lists.flatMap((list) => list ?? []);
  if (lists.includes(undefined)) return undefined;
  return { pointer: at, what: `expected one of ${formatValueList(allowed)}, got ${formatValue(value)}`, allowed };
}

function describeMissingMatch(
  alternatives: number,
  branches: readonly (readonly SchemaViolation[])[],
  at: string,
): SchemaViolation {
  const reasons = branches.flatMap(([first]) => (first === undefined ? [] : [formatProblem(first)]));
  const told = reasons.slice(0, MAX_REPORTED_ALTERNATIVES).join("; ");
  const more = reasons.length > MAX_REPORTED_ALTERNATIVES ? "; …" : "";
  return { pointer: at, what: `expected one of ${alternatives} alternatives to fit, got none: ${told}${more}` };
}
