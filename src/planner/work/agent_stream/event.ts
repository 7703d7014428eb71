import { isJsonObject } from "#kernel/json_object.ts";
/** One JSON line of an agent. Any field may be missing or have another type. */
export type AgentEvent = Readonly<Record<string, unknown>>;

/** Returns the object under a key; an empty object if the value is missing or not an object. */
export function readObject(event: AgentEvent, key: string): AgentEvent {
  const value = readOwnValue(event, key);
  return isJsonObject(value) ? value : {};
}

export function readObjects(event: AgentEvent, key: string): readonly AgentEvent[] {
  const value = readOwnValue(event, key);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns the text under a key; an empty text if the value is missing or not a text. */
export function readText(event: AgentEvent, key: string): string {
  const value = readOwnValue(event, key);
  return typeof value === "string" ? value : "";
}

/** Returns the number under a key; 0 if the value is missing or not a finite number. */
export function readNumber(event: AgentEvent, key: string): number {
  const value = readOwnValue(event, key);
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function readOwnValue(event: AgentEvent, key: string): unknown {
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

/** Summarizes a tool call: its first non-empty text in the order of `SUBJECT_KEYS`, otherwise all scalar arguments. */
export function summarizeToolCall(input: AgentEvent): string {
  const subject = SUBJECT_KEYS.map((key) => readText(input, key)).find((text) => text !== "");
  if (subject !== undefined) return subject;
  return Object.entries(input)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(", ");
}

/** Returns the text of a message's content, which is a text or a list of blocks. */
export function readContentText(event: AgentEvent, key: string): string {
  const text = readText(event, key);
  if (text !== "") return text;
  return readObjects(event, key)
    .map((block) => readText(block, "text"))
    .filter((each) => each !== "")
    .join("\n");
}
