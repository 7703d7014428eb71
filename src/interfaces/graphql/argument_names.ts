import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isJsonObject } from "#kernel/json_object.ts";

/** Field names and indexes of a path, up to the key of a map, which the caller chose. */
const PATH_PREFIX_PATTERN = /^(?:[a-z0-9_.]|\[\d+\])*/;

/** Converts a field's path to argument names: `device.ports[3].speed_mbps` to `device.ports[3].speedMbps`. */
export function convertToArgumentPath(field: string): string {
  return field.replace(PATH_PREFIX_PATTERN, (names) =>
    names.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** Returns a detail of a refused item as JSON, with its fields in the names of the arguments. */
export function convertRefusalDetail({ metadata, fieldViolations, ...detail }: JsonObject): JsonObject {
  return {
    ...detail,
    ...(isJsonObject<JsonValue>(metadata) && { metadata: convertFieldPath(metadata) }),
    ...(Array.isArray(fieldViolations) && {
      fieldViolations: fieldViolations.map((one) => (isJsonObject<JsonValue>(one) ? convertFieldPath(one) : one)),
    }),
  };
}

function convertFieldPath(told: JsonObject): JsonObject {
  const { field } = told;
  return typeof field === "string" ? { ...told, field: convertToArgumentPath(field) } : told;
}
