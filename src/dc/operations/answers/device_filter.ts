import { MAX_FILTER_VALUES, MAX_LABELS, MAX_QUERY_CHARS, MAX_TAGS } from "#dc/limits.ts";
import { parseRef, REF_GRAMMAR, type Ref } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { formatWireName } from "#dc/model/rules/checks.ts";
import type { DeviceFilter, LocationArea, PowerFilterField } from "#dc/ports.ts";
import { DeviceFilterSchema, type DeviceFilter as FilterMessage } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { DeviceFilter as Written } from "#gen/datacenter/v1/messages.ts";
import { convertFromMessage } from "../messages/convert.ts";
import { readCode } from "./parameters.ts";

/** Conditions of a device filter that are evaluated on the power graph. */
export type PowerFilter = Pick<Partial<Written>, PowerFilterField>;

/** A device filter whose codes and references are parsed. */
export interface ParsedFilter {
  readonly filter: DeviceFilter;
  readonly power: PowerFilter;
}

/** Parses a filter. @throws Refusal for codes and references that do not parse, and for too many values */
export function parseDeviceFilter(message: FilterMessage | undefined): ParsedFilter {
  if (message === undefined) return { filter: {}, power: {} };
  const written = convertFromMessage<Partial<Written>>(DeviceFilterSchema, message, "filter");
  const { floorRefs, roomRefs, rowRefs, fedBy, redundancyUnmet, redundancyUnknown, supplyStates, ...plain } = written;
  const { query = "", tags = [], labels = {}, ...others } = plain;
  requireMaxValueCount(MAX_QUERY_CHARS, query.length, { field: "query", unit: "characters" });
  // A device has at most MAX_TAGS tags, and a match has all tags of the filter.
  requireMaxValueCount(MAX_TAGS, tags.length, { field: "tags", unit: "values" });
  requireMaxValueCount(MAX_LABELS, Object.keys(labels).length, { field: "labels", unit: "values" });
  for (const [field, value] of Object.entries({ ...others, floorRefs, roomRefs, rowRefs })) {
    if (Array.isArray(value))
      requireMaxValueCount(MAX_FILTER_VALUES, value.length, { field: formatWireName(field), unit: "values" });
  }
  requireValidCodes("filter.site_ids", plain.siteIds ?? []);
  requireValidCodes("filter.rack_codes", plain.rackCodes ?? []);
  return {
    filter: {
      ...plain,
      ...(floorRefs !== undefined && {
        floors: floorRefs.map((text, index) => parseFloor(text, `filter.floor_refs[${index}]`)),
      }),
      ...(roomRefs !== undefined && { rooms: parseAreas("room", roomRefs, "filter.room_refs") }),
      ...(rowRefs !== undefined && { rows: parseAreas("row", rowRefs, "filter.row_refs") }),
    },
    power: {
      ...(fedBy !== undefined && { fedBy }),
      ...(redundancyUnmet !== undefined && { redundancyUnmet }),
      ...(redundancyUnknown !== undefined && { redundancyUnknown }),
      ...(supplyStates !== undefined && supplyStates.length > 0 && { supplyStates }),
    },
  };
}

function requireMaxValueCount(
  max: number,
  count: number,
  { field, unit }: { readonly field: string; readonly unit: string },
) {
  if (count <= max) return;
  const expected = `at most ${max} ${unit}`;
  throw refuse("FIELD_OUT_OF_RANGE", `Filter "${field}" holds too many ${unit}: expected ${expected}`, {
    field: `filter.${field}`,
    value: count,
    expected,
  });
}

function requireValidCodes(field: string, codes: readonly string[]): void {
  for (const [index, code] of codes.entries()) readCode(`${field}[${index}]`, code);
}

function parseFloor(text: string, field: string) {
  const ref = parseRefOf(text, "floor", field);
  return { siteId: ref.site, floorNumber: ref.floor };
}

function parseAreas(kind: "room" | "row", texts: readonly string[], field: string): readonly LocationArea[] {
  return texts.map((text, index) => {
    const ref = parseRefOf(text, kind, `${field}[${index}]`) as Extract<Ref, { name: unknown }>;
    return { siteId: ref.site, floorNumber: ref.floor, name: ref.name };
  });
}

function parseRefOf<Kind extends Ref["kind"]>(text: string, kind: Kind, field: string): Extract<Ref, { kind: Kind }> {
  const ref = parseRef(text);
  if (ref?.kind === kind) return ref as Extract<Ref, { kind: Kind }>;
  throw refuse("INVALID_REF", `Cannot read ${kind} "${text}"`, {
    field,
    value: text,
    expected: REF_GRAMMAR[kind],
  });
}
