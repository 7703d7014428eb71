import { NUMBER_BOUNDS, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { MAX_CLOCK_LEAD_MS, MAX_LABEL_KEY_CHARS, MAX_LABEL_VALUE_CHARS, MAX_LABELS, MAX_TAGS } from "../../limits.ts";
import {
  createRejection,
  createWarning,
  type ErrorFinding,
  type Finding,
  type FindingDetail,
  type Findings,
  type Reason,
  type ResourceWrite,
} from "../finding.ts";
import type { SiteReader } from "../inventory.ts";
import { doFootprintsOverlap } from "../rack_space.ts";
import { CODE_GRAMMAR, codeKey, isSlugText, parseCode, SLUG_GRAMMAR } from "../ref.ts";
import type { Location, Placement } from "../resources.ts";

interface CodedResource {
  readonly code: string;
}

interface AnnotatedResource {
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly comments?: string;
  readonly measuredAt?: string;
}

interface PlacedResource {
  readonly location?: Location;
  readonly placement?: Placement;
}

/** Rejects a code outside the grammar. */
export function checkCodeShape({ after }: ResourceWrite<CodedResource>): Findings {
  return checkCode("code", after.code);
}

/** Rejects a write whose code differs from the stored one only in case. */
export function checkCodeSpelling({ before, after }: ResourceWrite<CodedResource>): Findings {
  if (before === undefined || before.code === after.code) return [];
  return [
    createRejection(
      "CODE_CASE_CONFLICT",
      "code",
      `Code "${after.code}" exists in another spelling: expected "${before.code}"`,
      {
        value: after.code,
        expected: before.code,
      },
    ),
  ];
}

/** Rejects an identifier outside the grammar of codes. */
export function checkCode(field: string, text: string | undefined): readonly ErrorFinding[] {
  if (text !== undefined && parseCode(text) !== undefined) return [];
  return [createSyntaxRejection("INVALID_CODE", field, "code", text ?? "", CODE_GRAMMAR)];
}

/** Rejects a slug outside the grammar; an absent slug passes. */
export function checkSlug(field: string, text: string | undefined): readonly ErrorFinding[] {
  if (text === undefined || isSlugText(text)) return [];
  return [createSyntaxRejection("FIELD_OUT_OF_RANGE", field, "slug", text, SLUG_GRAMMAR)];
}

/** Checks the fields that all resources share: labels, tags, comments and the time of measurement. */
export function checkSharedFields({ after, now }: ResourceWrite<AnnotatedResource>): Findings {
  return [
    ...(after.labels === undefined ? [] : checkLabels(after.labels)),
    ...(after.tags === undefined ? [] : checkTags(after.tags)),
    ...checkTextLength("comments", after.comments, TEXT_LENGTHS.Device.comments),
    ...checkMeasuredAt("measured_at", after.measuredAt, now),
  ];
}

function checkTags(given: readonly string[]): readonly ErrorFinding[] {
  return [
    ...checkNumberBounds("tags", given.length, { max: MAX_TAGS }),
    ...given.flatMap((tag, index) => (isSlugText(tag) ? [] : checkSlug(`tags[${index}]`, tag))),
  ];
}

/** Rejects a time of measurement that is further in the future than clocks may differ. */
export function checkMeasuredAt(field: string, moment: string | undefined, now: string): readonly ErrorFinding[] {
  if (moment === undefined || Date.parse(moment) <= Date.parse(now) + MAX_CLOCK_LEAD_MS) return [];
  return [
    createRejection("FIELD_OUT_OF_RANGE", field, `Moment "${moment}" lies in the future`, {
      value: moment,
      expected: "at most 5 minutes after the server's clock",
    }),
  ];
}

/** Checks location and footprint of any resource that has either of the two. */
export function checkPlacedFields({ after }: ResourceWrite<PlacedResource>): Findings {
  const { location, placement } = after;
  return [...checkLocationShape(location), ...checkNumbers("Placement", placement, "placement.")];
}

/** Rejects a resource without a location. */
export function checkLocationPresence({ after }: ResourceWrite<PlacedResource>): Findings {
  return checkRequiredField("location", after.location);
}

function checkLocationShape(location: Location | undefined): readonly ErrorFinding[] {
  if (location === undefined) return [];
  return [
    ...checkCode("location.site_id", location.siteId),
    ...checkNumbers("Location", location, "location."),
    ...(location.room === undefined ? [] : checkCode("location.room", location.room)),
    ...(location.row === undefined ? [] : checkCode("location.row", location.row)),
    ...(location.zoneId === undefined ? [] : checkCode("location.zone_id", location.zoneId)),
  ];
}

function checkLabels(pairs: Readonly<Record<string, string>>): readonly ErrorFinding[] {
  const entries = Object.entries(pairs);
  return [
    ...checkNumberBounds("labels", entries.length, { max: MAX_LABELS }),
    ...entries.flatMap(([key, value]) => {
      const at = `labels[${key.slice(0, MAX_LABEL_KEY_CHARS)}]`;
      return [
        ...(key === ""
          ? [createRejection("REQUIRED_FIELD", "labels", 'Field "labels" has an empty key', { expected: "a key" })]
          : []),
        ...checkTextLength(at, key, MAX_LABEL_KEY_CHARS),
        ...checkTextLength(at, value, MAX_LABEL_VALUE_CHARS),
      ];
    }),
  ];
}

/** Rejects a given location that differs from the location of the rack or chassis. */
export function checkLocationAgreement(
  given: Location | undefined,
  held: Location | undefined,
  ref: string,
): readonly ErrorFinding[] {
  if (given === undefined || held === undefined || given === held) return [];
  const pairs: readonly (readonly [string, string | number | undefined, string | number | undefined])[] = [
    ["site_id", given.siteId, held.siteId],
    ["floor_number", given.floorNumber, held.floorNumber],
    ["room", given.room, held.room],
    ["row", given.row, held.row],
    ["zone_id", given.zoneId, held.zoneId],
  ];
  return pairs
    .filter(([, one, other]) => one !== undefined && one !== other)
    .map(([field, one, other]) =>
      createRejection("LOCATION_MISMATCH", `location.${field}`, `The location differs from that of "${ref}"`, {
        value: one,
        expected: String(other ?? "nothing"),
        ref,
      }),
    );
}

type FloorTile = CodedResource & PlacedResource;

/** Creates a rule that warns if footprints on a floor overlap. Source: docs/contract/datacenter-rules.md#rack. */
export function createOverlapRule(kind: "rack" | "crac") {
  return async ({ after }: ResourceWrite<FloorTile>, site: SiteReader): Promise<Findings> => {
    const { location, placement } = after;
    if (location === undefined || placement === undefined) return [];
    const racks = await site.racksOnFloor(location.siteId, location.floorNumber);
    const cracs = await site.cracsOnFloor(location.siteId, location.floorNumber);
    const itself = `${kind}:${codeKey(after.code)}`;
    return [
      ...listFootprintOverlaps("rack", racks, placement, itself),
      ...listFootprintOverlaps("crac", cracs, placement, itself),
    ];
  };
}

function listFootprintOverlaps(
  kind: string,
  tiles: readonly FloorTile[],
  placement: Placement,
  itself: string,
): readonly Finding[] {
  return tiles
    .filter((tile) => `${kind}:${codeKey(tile.code)}` !== itself)
    .filter((tile) => tile.placement !== undefined && doFootprintsOverlap(tile.placement, placement))
    .map((tile) =>
      createWarning("TILE_OVERLAP", "placement", `The footprint overlaps ${kind} "${tile.code}"`, {
        ref: `${kind}:${tile.code}`,
        expected: "free floor",
      }),
    );
}

/**
 * Permitted values of a number: those of `numbers`, or multiples of `step` from `min`, or above `above`, to `max`. Each
 * is optional.
 */
interface NumberBounds {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly step?: number;
  readonly numbers?: readonly number[];
}

/** Empty result that all checks share, because most checks find nothing. */
const NO_FINDINGS: readonly ErrorFinding[] = [];

/**
 * Rejects numbers of a message that are outside the bounds of `rules.proto`, in the order of its fields. Unknown values
 * pass; NaN and infinities fail. `at` is prepended to field names.
 */
export function checkNumbers(
  message: keyof typeof NUMBER_BOUNDS,
  values: object | undefined,
  at = "",
): readonly ErrorFinding[] {
  if (values === undefined) return NO_FINDINGS;
  const table: Readonly<Record<string, NumberBounds>> = NUMBER_BOUNDS[message];
  const given = values as Readonly<Record<string, number | undefined>>;
  let found = NO_FINDINGS;
  for (const name in table) {
    const value = given[name];
    const bounds = table[name];
    // Builds field names only for findings, because a device may have thousands of numbers.
    if (value !== undefined && bounds !== undefined && !isWithinBounds(value, bounds))
      found = [...found, ...checkNumberBounds(at + formatWireName(name), value, bounds)];
  }
  return found;
}

/**
 * Rejects texts of a message that are longer than `rules.proto` permits, in the order of its fields; `at` is prepended
 * to field names. Without `fields`, it checks all texts but `comments`, which `checkSharedFields` checks.
 */
export function checkTexts<Message extends keyof typeof TEXT_LENGTHS>(
  message: Message,
  values: object | undefined,
  at = "",
  fields?: readonly (keyof (typeof TEXT_LENGTHS)[Message] & string)[],
): readonly ErrorFinding[] {
  if (values === undefined) return NO_FINDINGS;
  const table: Readonly<Record<string, number>> = TEXT_LENGTHS[message];
  const given = values as Readonly<Record<string, unknown>>;
  const chosen: readonly string[] | undefined = fields;
  let found = NO_FINDINGS;
  for (const name in table) {
    const text = given[name];
    const max = table[name];
    if (typeof text !== "string" || max === undefined || text.length <= max) continue;
    if (chosen?.includes(name) ?? name !== "comments")
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

/** Whether a number is permitted. NaN and infinities never are. */
export function isWithinBounds(value: number, { min, above, max, step, numbers }: NumberBounds): boolean {
  if (!Number.isFinite(value)) return false;
  if (numbers !== undefined) return numbers.includes(value);
  if (min !== undefined && value < min) return false;
  if (above !== undefined && value <= above) return false;
  if (max !== undefined && value > max) return false;
  return step === undefined || Number.isInteger(value / step);
}

function describeBounds({ min, above, max, step, numbers }: NumberBounds): string {
  if (numbers !== undefined) return `${numbers.slice(0, -1).join(", ")} or ${numbers.at(-1)}`;
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
