import { type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { convertPlainJson } from "#dc/operations/messages/plain_json.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import type { LoadItem } from "#dc/operations/writes/load.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { formatSuggestion, UsageError } from "../usage_error.ts";

/** Kinds of resources, each with the name of its list. A resource refers only to its own and to earlier kinds. */
export const KINDS = [
  { kind: "rack", list: "racks" },
  { kind: "device", list: "devices" },
  { kind: "crac", list: "cracs" },
  { kind: "cable", list: "cables" },
  { kind: "fabric_link", list: "fabric_links" },
] as const satisfies readonly { readonly kind: ResourceKind; readonly list: string }[];

export const KIND_NAMES = KINDS.map(({ kind }) => kind);

/** Returns the kind with this name or list name; undefined for any other word. */
export function findKind(word: string): ResourceKind | undefined {
  return KINDS.find(({ kind, list }) => kind === word || list === word)?.kind;
}

/** Returns the kind with this name or list name. @throws UsageError for any other word. */
export function requireKind(word: string): ResourceKind {
  const kind = findKind(word);
  if (kind !== undefined) return kind;
  const hint = formatSuggestion(word, KIND_NAMES) || null;
  throw new UsageError(`Wrong value "${word}" for "--kind": expected one of ${KIND_NAMES.join(", ")}`, hint);
}

/** Parses a JSON line, `{"rack": {…}}`, as its kind's message. @throws Error that describes the problem. */
export function parseResourceLine(text: string): {
  readonly kind: ResourceKind;
  readonly message: MessageShape<DescMessage>;
} {
  const { kind, json } = parseResourceJson(text);
  return { kind, message: fromJson(RESOURCE_SCHEMAS[kind], json) };
}

/** Parses a line of JSON Lines as an item of a bulk load. @throws Error that describes the problem. */
export function parseLoadItem(text: string): LoadItem {
  const { kind, json } = parseResourceJson(text);
  const resource = convertPlainJson<ResourceByKind[ResourceKind]>(RESOURCE_SCHEMAS[kind], json);
  return resource === undefined ? { message: fromJson(RESOURCE_SCHEMAS[kind], json) } : { resource };
}

function parseResourceJson(text: string): { readonly kind: ResourceKind; readonly json: JsonValue } {
  const value: unknown = JSON.parse(text);
  const [key, ...more] = isJsonObject(value) ? Object.keys(value) : [];
  const kind = KIND_NAMES.find((one) => one === key);
  if (kind === undefined || more.length > 0) {
    throw new Error(`expected one of ${KIND_NAMES.map((one) => `{"${one}": …}`).join(", ")}`);
  }
  return { kind, json: (value as Readonly<Record<string, JsonValue>>)[kind] ?? null };
}
