import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { convertToCode } from "#dc/exchange/codes.ts";
import { mapContainerlab } from "#dc/exchange/containerlab/map_containerlab.ts";
import type { MappedSource } from "#dc/exchange/items.ts";
import type { NetboxOptions } from "#dc/exchange/netbox/where.ts";
import { DEVICE_KINDS, type DeviceKind } from "#dc/model/enum_values.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { formatSuggestion } from "../../usage_error.ts";
import { readUtf8 } from "../import/encoding.ts";
import type { KnownResources } from "./run_sync.ts";

const MAX_FILE_BYTES = 64 << 20;

type NetboxMapping = Pick<NetboxOptions, "roles" | "locations">;

/**
 * Reads a mapping file for NetBox, in YAML or JSON: `roles: {core: SWITCH}` and `locations: {site/location: {floor: 2,
 * room: A, row: B}}`.
 * @throws OperationError that names the invalid field
 */
export function readNetboxMapping(path: string, shown: string): NetboxMapping {
  const value = readYamlFile(path, shown);
  for (const key of Object.keys(value)) {
    if (key !== "roles" && key !== "locations") throw createFieldError(shown, key, "expected roles or locations");
  }
  return { roles: parseRoles(shown, value["roles"]), locations: parseLocations(shown, value["locations"]) };
}

/** Reads a YAML or JSON file with an object. @throws OperationError for any other content. */
export function readYamlFile(path: string, shown: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(readUtf8(path, shown), { maxAliasCount: 100 });
  } catch (error) {
    const message = (error as Error).message.split("\n")[0];
    throw new OperationError("invalid_argument", `Cannot read "${shown}": ${message}`, { cause: error });
  }
  if (isJsonObject(value)) return value;
  throw new OperationError("invalid_argument", `Cannot read "${shown}": expected an object`);
}

/** Reads a containerlab topology file. @throws OperationError if it cannot be read. */
export function readContainerlab(
  known: KnownResources,
  { file, origin, cwd }: { readonly file: string; readonly origin: string; readonly cwd: string },
): MappedSource {
  const mapped = mapContainerlab(readYamlDocument(resolve(cwd, file), file), {
    origin,
    known: known.codes,
    foreign: known.foreign,
  });
  if ("problem" in mapped)
    throw new OperationError("invalid_argument", `"${file}" is no topology of containerlab: ${mapped.problem}`);
  return mapped;
}

/** Creates the error for an invalid field of the mapping file that messages call `shown`. */
export function createFieldError(shown: string, field: string, expected: string): OperationError {
  return new OperationError("invalid_argument", `Wrong field "${field}" in "${shown}": ${expected}`);
}

function parseRoles(shown: string, value: unknown): NetboxMapping["roles"] {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw createFieldError(shown, "roles", "expected role slugs with kinds");
  return Object.fromEntries(
    Object.entries(value).map(([slug, word]) => {
      const kind = DEVICE_KINDS.find((one) => one === String(word).toUpperCase());
      if (kind === undefined)
        throw createFieldError(
          shown,
          `roles.${slug}`,
          `expected a kind; ${formatSuggestion(String(word), DEVICE_KINDS)}`.trim(),
        );
      return [slug, kind] as const satisfies readonly [string, DeviceKind];
    }),
  );
}

function parseLocations(shown: string, value: unknown): NetboxMapping["locations"] {
  if (value === undefined) return {};
  if (!isJsonObject(value))
    throw createFieldError(shown, "locations", "expected site/location slugs with floor, room or row");
  return Object.fromEntries(Object.entries(value).map(([name, place]) => [name, parseLocation(shown, name, place)]));
}

function parseLocation(shown: string, name: string, place: unknown): NetboxMapping["locations"][string] {
  const at = `locations.${name}`;
  if (!isJsonObject(place)) throw createFieldError(shown, at, "expected floor, room or row");
  const { floor, room, row, ...rest } = place;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw createFieldError(shown, `${at}.${unknown}`, "expected floor, room or row");
  if (floor !== undefined && !Number.isInteger(floor))
    throw createFieldError(shown, `${at}.floor`, "expected a whole number");
  return {
    ...(typeof floor === "number" && { floor }),
    ...parseCodeField(shown, `${at}.room`, "room", room),
    ...parseCodeField(shown, `${at}.row`, "row", row),
  };
}

function parseCodeField(shown: string, at: string, name: "room" | "row", value: unknown) {
  if (value === undefined) return {};
  const code = convertToCode(String(value));
  if (code === "" || code !== String(value))
    throw createFieldError(shown, at, "expected a code: letters, digits, '.', '_' or '-'");
  return { [name]: code };
}

function readYamlDocument(path: string, shown: string): unknown {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw new Error(`expected at most ${MAX_FILE_BYTES} bytes`);
    return parse(readFileSync(path, "utf8"), { maxAliasCount: 1000 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const kind = code === "ENOENT" ? "not_found" : "invalid_argument";
    throw new OperationError(kind, `Cannot read "${shown}": ${message.split("\n")[0]}`, { cause: error });
  }
}
