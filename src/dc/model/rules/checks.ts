import { MAX_TEXT_CHARS } from "#dc/limits.ts";
import { codeKey } from "../code.ts";
import { createRejection, type ErrorFinding, type FindingDetail, type Reason } from "../finding.ts";
import type { Findings, ResourceWrite } from "../rule.ts";
import type { SiteReader } from "../site.ts";

/** Permitted values of a number. Values must be multiples of `step`; bounds are inclusive unless `above` is set. */
export interface NumberBounds {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly step?: number;
}

/** A number to check: field, value and bounds. */
export type NumberCheck<Resource> = readonly [
  field: string,
  value: (resource: Resource) => number | undefined,
  bounds: NumberBounds,
];

/** Names of the fields of a resource that contain text. */
type TextField<Resource> = {
  [Name in keyof Resource]-?: string extends Resource[Name] ? Name : never;
}[keyof Resource] &
  string;

/** Empty result that all checks share, because most checks find nothing. */
const NO_FINDINGS: readonly ErrorFinding[] = [];

/** Returns a rule that checks every number of a table. Unknown values pass; NaN and infinities fail. */
export function createNumberRule<Resource>(checks: readonly NumberCheck<Resource>[]) {
  return ({ after }: ResourceWrite<Resource>): Findings => checkTableNumbers(after, checks);
}

/** Checks that the number fields of a table are within their bounds; `at` is prepended to field names. */
export function checkTableNumbers<Resource>(
  resource: Resource,
  checks: readonly NumberCheck<Resource>[],
  at = "",
): readonly ErrorFinding[] {
  let found = NO_FINDINGS;
  for (const [field, read, bounds] of checks) {
    const value = read(resource);
    // Builds field names only for findings, because a device may have thousands of numbers.
    if (value !== undefined && !isWithinBounds(value, bounds))
      found = [...found, ...checkNumberBounds(`${at}${field}`, value, bounds)];
  }
  return found;
}

/** Rejects texts over their maximum length; `at` is prepended to field names. */
export function checkTableTexts<Resource>(
  resource: Resource,
  fields: readonly TextField<Resource>[],
  at = "",
  max = MAX_TEXT_CHARS,
): readonly ErrorFinding[] {
  let found = NO_FINDINGS;
  for (const name of fields) {
    const text = resource[name] as string | undefined;
    if (text !== undefined && text.length > max)
      found = [...found, ...checkTextLength(at + formatWireName(name), text, max)];
  }
  return found;
}

/** Returns the name of a field in requests, such as `facility_id` for `facilityId`. */
export function formatWireName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Rejects a text that does not follow its grammar. @param what kind of text, such as "slug" */
export function createSyntaxRejection(
  code: Reason,
  field: string,
  what: string,
  value: string,
  expected: string,
): ErrorFinding {
  return createRejection(code, field, `Cannot read ${what} "${value}"`, { value, expected });
}

/** Rejects a number outside its bounds. */
export function checkNumberBounds(
  field: string,
  value: number | undefined,
  bounds: NumberBounds,
): readonly ErrorFinding[] {
  if (value === undefined || isWithinBounds(value, bounds)) return NO_FINDINGS;
  const expected = describeBounds(bounds);
  const message = `Field "${field}" is out of range: ${value}, expected ${expected}`;
  return [createRejection("FIELD_OUT_OF_RANGE", field, message, { value, expected })];
}

function isWithinBounds(value: number, { min, above, max, step }: NumberBounds): boolean {
  if (!Number.isFinite(value)) return false;
  if (min !== undefined && value < min) return false;
  if (above !== undefined && value <= above) return false;
  if (max !== undefined && value > max) return false;
  return step === undefined || Number.isInteger(value / step);
}

function describeBounds({ min, above, max, step }: NumberBounds): string {
  const parts = [
    min === undefined ? "" : `at least ${min}`,
    above === undefined ? "" : `above ${above}`,
    max === undefined ? "" : `at most ${max}`,
    step === undefined ? "" : step === 1 ? "a whole number" : `a multiple of ${step}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "a finite number" : parts.join(", ");
}

/** Rejects text longer than `max` characters. */
export function checkTextLength(field: string, text: string | undefined, max: number): readonly ErrorFinding[] {
  if (text === undefined || text.length <= max) return NO_FINDINGS;
  const expected = `at most ${max} characters`;
  const value = `${text.length} characters`;
  const message = `Field "${field}" is too long: ${value}, expected ${expected}`;
  return [createRejection("FIELD_OUT_OF_RANGE", field, message, { value, expected })];
}

/** Rejects a reference to a resource that does not exist. @param what kind of resource, such as "rack" */
export function createMissingRefRejection(
  field: string,
  what: string,
  value: string,
  detail: FindingDetail = {},
): ErrorFinding {
  return createRejection("REF_NOT_FOUND", field, `Cannot find ${what} "${value}"`, { value, ...detail });
}

/** Creates a rule that rejects an asset tag that another device or rack has. */
export function createAssetTagRule(kind: "device" | "rack") {
  return async ({ after }: ResourceWrite<TaggedResource>, site: SiteReader): Promise<Findings> => {
    const { code, assetTag } = after;
    const holder = assetTag === undefined ? undefined : await site.assetTagHolder(kind, assetTag);
    if (holder === undefined || codeKey(holder) === codeKey(code)) return [];
    const detail = { value: assetTag, expected: "a free asset tag", ref: `${kind}:${holder}` };
    return [
      createRejection("ASSET_TAG_TAKEN", "asset_tag", `Asset tag "${assetTag}" belongs to ${kind} "${holder}"`, detail),
    ];
  };
}

interface TaggedResource {
  readonly code: string;
  readonly assetTag?: string;
}

export function checkRequiredField(field: string, value: unknown): readonly ErrorFinding[] {
  if (value !== undefined && value !== "") return NO_FINDINGS;
  return [createRejection("REQUIRED_FIELD", field, `Field "${field}" is required`, { expected: "a value" })];
}

export function checkUniqueValues(
  values: readonly (readonly [field: string, key: string])[],
  what: string,
): readonly ErrorFinding[] {
  if (values.length < 2) return NO_FINDINGS;
  const seen = new Set<string>();
  return values.flatMap(([field, key]) => {
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [
      createRejection("DUPLICATE", field, `${what} "${key}" is given twice`, { value: key, expected: "each one once" }),
    ];
  });
}
