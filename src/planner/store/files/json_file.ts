import { isJsonObject } from "#kernel/json_object.ts";
import { readTextFile } from "./read_text.ts";

/** Object in a JSON file with the file's text and time of last write, or the reason why it cannot be read. */
export type JsonReadResult =
  | {
      readonly kind: "object";
      readonly object: Readonly<Record<string, unknown>>;
      readonly text: string;
      readonly modified: Date;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly message: string; readonly text: string | null; readonly modified: Date };

/**
 * Reads a JSON file of at most MAX_SPEC_BYTES. Never throws.
 * @param omits what may precede the JSON text
 */
export function readJsonFile(path: string, { omits }: { readonly omits?: RegExp } = {}): JsonReadResult {
  const read = readTextFile(path);
  if (read.kind === "missing") return read;
  const modified = new Date(read.mark?.modifiedMs ?? 0);
  if (read.kind === "unreadable") return { kind: "broken", message: read.message, text: null, modified };
  const { text } = read;
  try {
    const value: unknown = JSON.parse(omits === undefined ? text : text.replace(omits, ""));
    if (isJsonObject(value)) {
      return { kind: "object", object: value as Readonly<Record<string, unknown>>, text, modified };
    }
    return { kind: "broken", message: "Expected a JSON object", text, modified };
  } catch (error) {
    return { kind: "broken", message: `Invalid JSON: ${(error as Error).message}`, text, modified };
  }
}

/** Returns a field if it is a non-empty text, else null. */
export function getTextField(object: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = object[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns a field as a time; null if it is not a text with a valid time. */
export function getTimeField(object: Readonly<Record<string, unknown>>, name: string): Date | null {
  const text = getTextField(object, name);
  const time = text === null ? null : new Date(text);
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}
