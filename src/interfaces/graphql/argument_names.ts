import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isJsonObject } from "#kernel/json_object.ts";

/** Names and indexes from the beginning up to the key of a map, which is the caller's own word. */
const NAMES = /^(?:[a-z0-9_.]|\[\d+\])*/;

/** A field's path in the names of the arguments: `device.ports[3].speed_mbps` is `device.ports[3].speedMbps` here. */
export function argumentPath(field: string): string {
  return field.replace(NAMES, (names) => names.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

/** A detail of a refused item as JSON, with its fields in the names of the arguments. */
export function detailInArguments({ metadata, fieldViolations, ...detail }: JsonObject): JsonObject {
  return {
    ...detail,
    ...(isJsonObject<JsonValue>(metadata) && { metadata: withPath(metadata) }),
    ...(Array.isArray(fieldViolations) && {
      fieldViolations: fieldViolations.map((one) => (isJsonObject<JsonValue>(one) ? withPath(one) : one)),
    }),
  };
}

function withPath(told: JsonObject): JsonObject {
  const { field } = told;
  return typeof field === "string" ? { ...told, field: argumentPath(field) } : told;
}
