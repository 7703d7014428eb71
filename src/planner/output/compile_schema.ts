import { _, Ajv2020, type KeywordCxt, Name } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { formatCanonicalJson, isEqualJson } from "#kernel/json_object.ts";

/** Runs one match of a schema's pattern; an implementation may limit its time. */
export type RunPatternTest = (pattern: string, text: string, match: () => boolean) => boolean;

export interface CompilerOptions {
  /** False to stop at the first problem, so that a value of a million wrong items does not fill the memory. */
  readonly findsAll: boolean;
  /** True if `format` is a demand. */
  readonly checksFormats: boolean;
  readonly testPattern: RunPatternTest;
}

const FORMAT_ASSERTION = {
  $id: "https://json-schema.org/draft/2020-12/meta/format-assertion",
  $dynamicAnchor: "meta",
  type: ["object", "boolean"],
  properties: { format: { type: "string" } },
};

/** Creates a compiler of schemas. It knows the meta-schemas of the dialect and never asks the network. */
export function createCompiler({ findsAll, checksFormats, testPattern }: CompilerOptions): Ajv2020 {
  const ajv = new Ajv2020({
    ...{ strict: false, strictNumbers: false, validateSchema: false, logger: false, messages: false, verbose: true },
    ...{ allErrors: findsAll, ownProperties: true, validateFormats: checksFormats },
    // A schema that is referred to a thousand times is compiled once.
    inlineRefs: false,
    code: { regExp: createPatternEngine(testPattern), optimize: false },
  });
  if (checksFormats) addFormats.default(ajv);
  ajv.addSchema(FORMAT_ASSERTION);
  replaceKeyword(ajv, "const", isEqualJson);
  replaceKeyword(ajv, "enum", (allowed: readonly unknown[], value) => allowed.some((one) => isEqualJson(one, value)));
  replaceKeyword(ajv, "multipleOf", (step: number, value) => isMultipleOf(value as number, step));
  replaceKeyword(ajv, "uniqueItems", (wanted: boolean, items) => {
    return !wanted || findEqualItems(items as readonly unknown[]) === undefined;
  });
  for (const keyword of ["anyOf", "oneOf", "propertyNames"]) countBranchErrors(ajv, keyword);
  dropItemErrors(ajv);
  return ajv;
}

function createPatternEngine(testPattern: RunPatternTest) {
  const compile = (source: string) => {
    const expression = new RegExp(source, "u");
    return {
      test: (text: string) => testPattern(source, text, () => expression.test(text)),
      // Ajv keeps patterns by their text.
      toString: () => source,
    };
  };
  return Object.assign(compile, { code: "" });
}

/**
 * Replaces a keyword's check. Ajv compares values by a library that fails on fields such as `valueOf`, in quadratic
 * time, and divides numbers in binary.
 */
function replaceKeyword<Wanted>(ajv: Ajv2020, keyword: string, fits: (wanted: Wanted, value: unknown) => boolean) {
  Object.assign(ajv.getKeyword(keyword), {
    error: { message: "", params: _`{}` },
    code: (context: KeywordCxt) => {
      const check = context.gen.scopeValue("func", { key: fits, ref: fits });
      context.pass(_`${check}(${context.schemaValue}, ${context.data})`);
    },
  });
}

const ERRORS = new Name("errors");
const NULL = _`null`;

/** Adds to the error of a keyword how many errors each of its subschemas reported before it: `params.counts`. */
function countBranchErrors(ajv: Ajv2020, keyword: string): void {
  const definition = ajv.getKeyword(keyword) as { code: (context: KeywordCxt) => void };
  const { code } = definition;
  Object.assign(definition, {
    error: {
      message: "",
      params: ({ params: { counts, passing = NULL, propertyName = NULL } }: KeywordCxt) =>
        _`{counts: ${counts}.splice(0), passing: ${passing}, name: ${propertyName}}`,
    },
    code: (outer: KeywordCxt) => {
      const counts = outer.gen.const("counts", _`[]`);
      const context: KeywordCxt = Object.create(outer);
      context.setParams = (params) => outer.setParams.call(context, { ...params, counts });
      context.setParams({});
      context.subschema = (applied, valid) => {
        const before = outer.gen.const("before", ERRORS);
        const result = outer.subschema(applied, valid);
        outer.gen.code(_`${counts}.push(${ERRORS} - ${before})`);
        return result;
      };
      code(context);
    },
  });
}

/** Leaves out the errors of single items that `contains` does not match. */
function dropItemErrors(ajv: Ajv2020): void {
  const definition = ajv.getKeyword("contains") as { code: (context: KeywordCxt) => void };
  const { code } = definition;
  definition.code = (outer) => {
    const context: KeywordCxt = Object.create(outer);
    context.error = (...report) => {
      outer.reset();
      outer.error.apply(context, report);
    };
    code(context);
  };
}

/** Returns the indexes of two equal items, the later one first; undefined if all differ. Cost: linear. */
export function findEqualItems(items: readonly unknown[]): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = formatCanonicalJson(item);
    const first = seen.get(text);
    if (first !== undefined) return [index, first];
    seen.set(text, index);
  }
  return undefined;
}

/**
 * Returns whether `value` is a whole multiple of `step` in decimal arithmetic, because JSON writes both in decimal:
 * 4.35 is a multiple of 0.01 although their binary quotient is not whole. `step` must be above 0.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !Number.isFinite(step)) return false;
  const left = parseDecimal(value);
  const right = parseDecimal(step);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaleDecimal(left, exponent) % scaleDecimal(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  /** The value is `digits` × 10 ** `exponent`. */
  readonly exponent: number;
}

function parseDecimal(value: number): Decimal {
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

// A double spans about 630 decimal places, so the integers here stay below 2200 bits.
function scaleDecimal({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
