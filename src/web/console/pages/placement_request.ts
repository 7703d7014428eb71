import type { DevicePlace, FindPlacementResponse } from "#gen/datacenter/v1/json.ts";
import { constantOf } from "../address_words.ts";

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

const PORTS = /^(\d+)\s*x\s*(?:(\d+(?:\.\d+)?)\s*([GM])|([a-z0-9][a-z0-9._-]*))$/i;

/** The request of the page's fields, or what has to be filled in. */
export function placementRequest(value: (name: string) => string): PlacementRequest | string {
  const [like, type] = [value("like"), value("type")];
  const isDescribed = like !== "" || type !== "";
  if (!isDescribed && (value("height") === "" || value("draw") === "")) {
    return "Fill in height and draw, or name a device to copy or a type.";
  }
  const wrong = NUMBERS.find(([name]) => value(name) !== "" && !Number.isFinite(Number(value(name))));
  if (wrong !== undefined) return `${wrong[2]} takes a number, not “${value(wrong[0])}”.`;
  const ports = portsOf(value("ports"));
  if (typeof ports === "string") return ports;
  const numbers = NUMBERS.filter(([name]) => value(name) !== "").map(([name, field]) => [field, Number(value(name))]);
  const texts = TEXTS.filter(([name]) => value(name) !== "").map(([name, field, prefix]) => [
    field,
    prefix === "" ? value(name) : constantOf(prefix, value(name)),
  ]);
  return {
    ...Object.fromEntries([...numbers, ...texts]),
    ...(ports.length > 0 && { ports }),
    ...(value("spread") !== "" && {
      spread: value("spread")
        .split("|")
        .map((word) => constantOf("PLACEMENT_SPREAD", word)),
    }),
    ...(value("warnings") === "1" && { allow_existing_warnings: true }),
  };
}

const NUMBERS = [
  ["count", "count", "Count"],
  ["height", "u_height", "Height"],
  ["draw", "draw_w", "Draw"],
  ["weight", "weight_kg", "Weight"],
  ["headroom", "headroom_pct", "Keep free"],
  ["inlets", "inlets", "Inlets"],
  ["liquid", "liquid_fraction_pct", "Of it in liquid"],
] as const;

const TEXTS = [
  ["like", "device_code", ""],
  ["type", "device_type", ""],
  ["supply", "redundancy", "REDUNDANCY"],
  ["cooling", "cooling_method", "COOLING_METHOD"],
  ["face", "face", "FACE"],
  ["depth", "depth", "DEPTH"],
  ["basis", "load_basis", "LOAD_BASIS"],
  ["scope", "scope_ref", ""],
  ["tenant", "tenant", ""],
  ["prefix", "code_prefix", ""],
] as const;

/** Reads `2x25G, 1x1G`. */
function portsOf(text: string): readonly object[] | string {
  const found: object[] = [];
  for (const part of text.split(/[,;]/).map((one) => one.trim())) {
    if (part === "") continue;
    const [, count, speed, unit = "", type] = PORTS.exec(part) ?? [];
    if (count === undefined) return `Ports are written as 2x25G or 2x25gbase-x-sfp28, not “${part}”.`;
    const speedMbps = Number(speed) * (unit.toUpperCase() === "G" ? 1000 : 1);
    found.push({ count: Number(count), ...(type === undefined ? { speed_mbps: speedMbps } : { type }) });
  }
  return found;
}
