import { isJsonObject } from "#kernel/json_object.ts";
/** One JSON line of an agent. Any field may be missing or have another type. */
export type Event = Readonly<Record<string, unknown>>;

/** Returns the object under a key; empty without one. */
export function objectAt(event: Event, key: string): Event {
  const value = ownValue(event, key);
  return isJsonObject(value) ? value : {};
}

export function objectsAt(event: Event, key: string): readonly Event[] {
  const value = ownValue(event, key);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns the text under a key; empty without one. */
export function textAt(event: Event, key: string): string {
  const value = ownValue(event, key);
  return typeof value === "string" ? value : "";
}

/** Returns the number under a key; 0 without one. */
export function numberAt(event: Event, key: string): number {
  const value = ownValue(event, key);
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function ownValue(event: Event, key: string): unknown {
  return Object.hasOwn(event, key) ? event[key] : undefined;
}

const SUBJECT_KEYS = [
  "command",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "query",
  "url",
  "id",
  "description",
] as const;

/** Summarizes a tool call: the first argument named in `SUBJECT_KEYS`, otherwise all scalar arguments. */
export function aboutCall(input: Event): string {
  const subject = SUBJECT_KEYS.map((key) => textAt(input, key)).find((text) => text !== "");
  if (subject !== undefined) return subject;
  return Object.entries(input)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(", ");
}

/** Returns the text of a message's content, which is a text or a list of blocks. */
export function contentText(event: Event, key: string): string {
  const text = textAt(event, key);
  if (text !== "") return text;
  return objectsAt(event, key)
    .map((block) => textAt(block, "text"))
    .filter((each) => each !== "")
    .join("\n");
}
