import type { DevicePlace, FindPlacementResponse } from "#gen/datacenter/v1/json.ts";
import { readWantedPorts, type WantedPorts } from "#words/wanted_ports.ts";
import { constantOf } from "../address_words.ts";
import { askedField, FIRST_FIELDS, MORE_FIELDS, type PlacementField } from "./placement_fields.ts";

export const PLACEMENT_RPC = "datacenter.v1.PlanningService/FindPlacement";

/** A question that FindPlacement takes, as proto JSON. */
export type PlacementRequest = Readonly<Record<string, unknown>>;

/** An answer, and the places of it that a person takes. */
export interface ChosenPlaces {
  readonly answer: FindPlacementResponse;
  readonly chosen: readonly DevicePlace[];
}

/** Identifies a place and all that it connects: two answers of the same key would be written alike. */
export function placeKey({ device_code, rack_code, position_u, inlets, ports }: DevicePlace): string {
  return JSON.stringify([device_code, rack_code, position_u, inlets, ports]);
}

/** The request of the page's fields, or what has to be filled in. */
export function placementRequest(value: (name: string) => string): PlacementRequest | string {
  const [like, type] = [value("like"), value("type")];
  const isDescribed = like !== "" || type !== "";
  if (!isDescribed && (value("height") === "" || value("draw") === "")) {
    return "Fill in height and draw, or name a device to copy or a type.";
  }
  const entries: [string, unknown][] = [];
  for (const row of [...FIRST_FIELDS, ...MORE_FIELDS]) {
    const text = value(row.setting);
    if (text === "") continue;
    const read = fieldValue(row, text);
    if (typeof read === "object" && "wrong" in read) return read.wrong;
    entries.push([row.field, read]);
  }
  return Object.fromEntries(entries);
}

interface Wrong {
  readonly wrong: string;
}

/** The text of a field as its type has it. */
function fieldValue(row: PlacementField, text: string): string | number | boolean | object | Wrong {
  const asked = askedField(row);
  if (asked.type === "group") return portsOf(text);
  if (asked.type === "flag") return text === "1";
  if (asked.type === "choice") {
    const words = text.split("|").map((word) => constantOf(asked.prefix, word));
    return asked.isList === true ? words : (words[0] ?? "");
  }
  if (asked.type === "text") return text;
  if (Number.isFinite(Number(text))) return Number(text);
  // Without the unit.
  return { wrong: `${row.label.split(",")[0]} takes a number, not “${text}”.` };
}

/** Reads `2x25G, 1x1G/1000base-t`. */
function portsOf(text: string): readonly WantedPorts[] | Wrong {
  const found: WantedPorts[] = [];
  for (const part of text.split(/[,;]/).map((one) => one.trim())) {
    if (part === "") continue;
    const ports = readWantedPorts(part);
    if (ports === undefined) {
      return { wrong: `Ports are written as 2x25G, 2x25gbase-x-sfp28 or 2x25G/25gbase-x-sfp28, not “${part}”.` };
    }
    found.push(ports);
  }
  return found;
}
