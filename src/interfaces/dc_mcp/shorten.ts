import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { createInvalidArgumentError, type OperationError } from "#kernel/errors.ts";

/** Selected parts of a reply, by field name. An empty value selects the whole field, others a part of it. */
export interface FieldSelection {
  readonly [name: string]: FieldSelection;
}

/** Parses paths such as `impact` or `affected.code`. @throws OperationError for a path that the reply does not have */
export function parseSelection(reply: DescMessage, paths: readonly string[]): FieldSelection {
  const selection: Record<string, FieldSelection> = {};
  for (const path of paths) {
    let place = selection;
    let desc: DescMessage | undefined = reply;
    for (const name of path.split(".")) {
      const field: DescField | undefined = desc?.fields.find((one) => one.name === name);
      if (field === undefined) throw createUnknownPathError(path, desc);
      place[name] ??= {};
      place = place[name] as Record<string, FieldSelection>;
      desc = field.message;
    }
  }
  return selection;
}

function createUnknownPathError(path: string, desc: DescMessage | undefined): OperationError {
  const expected = desc === undefined ? "nothing below it" : `one of ${desc.fields.map(({ name }) => name).join(", ")}`;
  return createInvalidArgumentError(`Parameter "fields" names "${path}", which is not there: expected ${expected}`);
}

export interface ShortenedResult {
  readonly value: JsonObject;
  /** Number of omitted items, by the path of their list. */
  readonly omitted: Readonly<Record<string, number>>;
}

/** Returns the selected parts, and at most `maxItems` of every list. Cost: one walk over the result. */
export function shortenResult(value: JsonObject, selection: FieldSelection, maxItems: number): ShortenedResult {
  const omitted: Record<string, number> = {};
  const shortenValue = (one: JsonValue, wanted: FieldSelection, path: string): JsonValue => {
    if (Array.isArray(one)) {
      if (one.length > maxItems) omitted[path] = (omitted[path] ?? 0) + one.length - maxItems;
      return one.slice(0, maxItems).map((item) => shortenValue(item, wanted, path));
    }
    if (typeof one !== "object" || one === null) return one;
    const all = Object.keys(wanted).length === 0;
    const kept = Object.entries(one).filter(([name]) => all || wanted[name] !== undefined);
    return Object.fromEntries(
      kept.map(([name, inner]) => [
        name,
        shortenValue(inner, wanted[name] ?? {}, path === "" ? name : `${path}.${name}`),
      ]),
    );
  };
  return { value: shortenValue(value, selection, "") as JsonObject, omitted };
}
