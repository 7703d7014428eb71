import type { DevicePlace } from "#gen/datacenter/v1/json.ts";
import { type PortDemand, parsePortDemand } from "#words/wanted_ports.ts";
import { convertToConstant } from "../address_words.ts";
import type { RequestField } from "./asked_field.ts";
import { EXTRA_PLACEMENT_FIELDS, PLACEMENT_FIELDS } from "./placement_fields.ts";

export const PLACEMENT_RPC = "datacenter.v1.PlanningService/FindPlacement";

/** A FindPlacement request as proto JSON. */
export type PlacementRequest = Readonly<Record<string, unknown>>;

/** Returns a key of a position and its connections: positions with equal keys would be written alike. */
export function getPlaceKey({ device_code, rack_code, position_u, inlets, ports }: DevicePlace): string {
  return JSON.stringify([device_code, rack_code, position_u, inlets, ports]);
}

/** Returns the request for the page's fields, or a text about a field that must be filled in. */
export function createPlacementRequest(getValue: (name: string) => string): PlacementRequest | string {
  const [like, type] = [getValue("like"), getValue("type")];
  const isDescribed = like !== "" || type !== "";
  if (!isDescribed && (getValue("height") === "" || getValue("draw") === "")) {
    return "Fill in height and draw, or name a device to copy or a type.";
  }
  const entries: [string, unknown][] = [];
  for (const row of [...PLACEMENT_FIELDS, ...EXTRA_PLACEMENT_FIELDS]) {
    const text = getValue(row.setting);
    if (text === "") continue;
    const read = parseFieldValue(row, text);
    if (typeof read === "object" && "wrong" in read) return read.wrong;
    entries.push([row.field, read]);
  }
  return Object.fromEntries(entries);
}

interface InvalidFieldText {
  readonly wrong: string;
}

/** Converts the text of a field to the type of the request's field. */
function parseFieldValue(
  { asked, label }: RequestField,
  text: string,
): string | number | boolean | object | InvalidFieldText {
  if (asked.type === "group") return parsePortsField(text);
  if (asked.type === "flag") return text === "1";
  if (asked.type === "choice") {
    const words = text.split("|").map((word) => convertToConstant(asked.prefix, word));
    return asked.isList === true ? words : (words[0] ?? "");
  }
  if (asked.type === "text") return text;
  if (Number.isFinite(Number(text))) return Number(text);
  // The message names the field without its unit.
  return { wrong: `${label.split(",")[0]} takes a number, not “${text}”.` };
}

/** Returns the request fields that a page's settings contain. The settings must already be normalized. */
export function createRequestFromSettings(
  rows: readonly RequestField[],
  settings: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const given = rows.map((row) => [row, settings.get(row.setting) || (row.isOnByDefault === true ? "1" : "")] as const);
  const named = given.filter(([, text]) => text !== "");
  return Object.fromEntries(named.map(([row, text]) => [row.field, parseFieldValue(row, text)]));
}

/** Parses a list of ports such as `2x25G, 1x1G/1000base-t`. */
function parsePortsField(text: string): readonly PortDemand[] | InvalidFieldText {
  const found: PortDemand[] = [];
  for (const part of text.split(/[,;]/).map((one) => one.trim())) {
    if (part === "") continue;
    const ports = parsePortDemand(part);
    if (ports === undefined) {
      return { wrong: `Ports are written as 2x25G, 2x25gbase-x-sfp28 or 2x25G/25gbase-x-sfp28, not “${part}”.` };
    }
    found.push(ports);
  }
  return found;
}
