import { MAX_CABLE_M } from "#dc/limits.ts";
import { CABLE_TYPES, type CableType } from "#dc/model/enum_values.ts";
import { isCableless, kindsJoin } from "#dc/model/port_types.ts";
import { inOrder } from "#dc/model/ref.ts";
import type { Cable } from "#dc/model/resources.ts";
import { compact } from "../item.ts";
import { oneOf } from "../values.ts";
import { number, text } from "./dataset.ts";
import type { Mapping, PortPlace } from "./mapping.ts";
import type { Row } from "./read_row.ts";

const METRES: Readonly<Record<string, number>> = { km: 1000, m: 1, cm: 0.01, mi: 1609.344, ft: 0.3048, in: 0.0254 };
const STATUSES: Readonly<Record<string, Cable["status"]>> = {
  connected: "CONNECTED",
  planned: "PLANNED",
  decommissioning: "DECOMMISSIONING",
};

interface Ends {
  readonly a: readonly string[];
  readonly b: readonly string[];
}

/**
 * Divides ports that a cable joins to several others into channels, one for each. To be called before ports are made.
 */
export function divideBreakouts(mapping: Mapping): void {
  for (const [id, { a, b }] of mapping.data.cableEnds()) {
    const [one, many] = a.length <= b.length ? [a, b] : [b, a];
    const end = one[0];
    if (one.length !== 1 || many.length < 2 || end === undefined || !end.startsWith("interface/")) continue;
    mapping.channels.set(
      end,
      many.map((_, index) => channelKey(id, index)),
    );
  }
}

function channelKey(cable: string, index: number): string {
  return `channel/${cable}#${index}`;
}

/** Maps every cable: one with several lanes becomes one cable for each. */
export function mapCables(mapping: Mapping): void {
  const taken = new Map<string, string>();
  const ends = mapping.data.cableEnds();
  for (const row of mapping.data.all("cable")) {
    const lanes = lanesOf(mapping, row, ends.get(row.id) ?? { a: [], b: [] });
    for (const [index, [one, other]] of lanes.entries()) {
      const places = placesOf(mapping, row, one, other, taken);
      if (places === undefined) continue;
      const [a, b] = inOrder(portOf(places[0]), portOf(places[1]));
      const resource = compact<Cable>({ a, b, ...facts(mapping, row, places), ...mapping.remarks("cable", row) });
      mapping.items.push({
        kind: "cable",
        id: index === 0 ? `cable/${row.id}` : `cable/${row.id}#${index + 1}`,
        resource,
      });
    }
  }
}

function portOf({ deviceCode, portName }: PortPlace) {
  return { deviceCode, portName };
}

/** The pairs of ends that a cable joins: position by position, or a divided port's channels with the other ends. */
function lanesOf(mapping: Mapping, row: Row, { a, b }: Ends): readonly (readonly [string, string])[] {
  if (a.length === 0 || b.length === 0) {
    mapping.omit("A cable with nothing at one end", "cable", row);
    return [];
  }
  if (a.length === b.length) return a.map((one, index) => [one, b[index] ?? ""] as const);
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  const end = few[0] ?? "";
  if (few.length === 1 && mapping.channels.has(end) && mapping.ports.has(channelKey(row.id, 0))) {
    return many.map((other, index) => [channelKey(row.id, index), other] as const);
  }
  mapping.omit(
    "A cable from some ports to a different number of others that are no divided interface",
    "cable",
    row,
    `${a.length} to ${b.length}`,
  );
  return [];
}

function placesOf(
  mapping: Mapping,
  row: Row,
  one: string,
  other: string,
  taken: Map<string, string>,
): readonly [PortPlace, PortPlace] | undefined {
  const a = mapping.ports.get(one);
  const b = mapping.ports.get(other);
  const why = misfit(mapping, { one, a }, { one: other, a: b }) ?? takenTwice(taken, a, b);
  if (why !== undefined || a === undefined || b === undefined) {
    mapping.omit(why ?? "A cable to something that is not there", "cable", row, `${one} to ${other}`);
    return undefined;
  }
  for (const { deviceCode, portName } of [a, b]) taken.set(`${deviceCode}/${portName}`, row.id);
  return [a, b];
}

interface Found {
  readonly one: string;
  readonly a: PortPlace | undefined;
}

function misfit(mapping: Mapping, ...found: readonly [Found, Found]): string | undefined {
  for (const { one, a } of found) {
    if (a === undefined) return `A cable to something that has no ports here: ${tableOf(one)}`;
    if (isCableless(typeOf(mapping, one))) return "A cable to an interface that takes none";
  }
  const [{ a }, { a: b }] = found;
  if (a === undefined || b === undefined) return undefined;
  if (a.deviceCode === b.deviceCode && a.portName === b.portName) return "A cable from a port to itself";
  return kindsJoin(a.kind, b.kind) ? undefined : `A cable from ${a.kind} to ${b.kind}`;
}

function takenTwice(
  taken: ReadonlyMap<string, string>,
  ...places: readonly (PortPlace | undefined)[]
): string | undefined {
  const isTaken = places.some((place) => place !== undefined && taken.has(`${place.deviceCode}/${place.portName}`));
  return isTaken ? "A cable to a port that holds another cable" : undefined;
}

function tableOf(end: string): string {
  return end.split("/")[0] ?? "";
}

function typeOf(mapping: Mapping, end: string): string | undefined {
  const [table, id = ""] = end.split("/");
  return table === "interface" ? text(mapping.data.rows("interface").get(id), "type") || undefined : undefined;
}

function facts(mapping: Mapping, row: Row, places: readonly PortPlace[]): Partial<Cable> {
  const length = number(row, "length");
  const factor = METRES[text(row, "length_unit")];
  const metres = length === undefined || factor === undefined ? undefined : Math.round(length * factor * 1000) / 1000;
  const possible = metres === undefined || (metres > 0 && metres <= MAX_CABLE_M);
  if (!possible) mapping.omit("A length that no cable has", "cable", row, String(length));
  const color = text(row, "color").replace(/^#/, "");
  const isColor = /^[0-9A-Fa-f]{6}$/.test(color);
  if (!isColor && color !== "")
    mapping.omit("A color that is not written as six hexadecimal digits", "cable", row, color);
  return compact<Partial<Cable>>({
    type: typeOfCable(text(row, "type"), places),
    status: statusOf(mapping, row),
    label: mapping.short("cable", row, "label"),
    color: isColor ? color.toUpperCase() : undefined,
    lengthM: possible ? metres : undefined,
    tenant: mapping.tenant("cable", row),
  });
}

function statusOf(mapping: Mapping, row: Row): Cable["status"] | undefined {
  const word = text(row, "status");
  const status = STATUSES[word];
  if (status === undefined && word !== "")
    mapping.omit("A status is none of ours: CONNECTED is taken", "cable", row, word);
  return status;
}

const OTHER_WORDS: readonly (readonly [RegExp, CableType])[] = [
  [/^mmf/, "MMF"],
  [/^smf/, "SMF"],
  [/^coax|^rg-?\d/, "COAXIAL"],
  [/^usb/, "USB"],
];

function typeOfCable(word: string, places: readonly PortPlace[]): CableType | undefined {
  const known = oneOf(CABLE_TYPES, word) ?? OTHER_WORDS.find(([pattern]) => pattern.test(word))?.[1];
  if (known !== undefined) return known;
  if (places.some(({ kind }) => kind === "POWER_IN" || kind === "POWER_OUT")) return "POWER";
  return word === "" ? undefined : "OTHER";
}
