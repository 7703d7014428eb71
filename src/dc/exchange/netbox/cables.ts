import { CABLE_TYPES, type CableType } from "#dc/model/enum_values.ts";
import { canConnectPortKinds, isCablelessType } from "#dc/model/port_types.ts";
import { orderCableEnds } from "#dc/model/ref.ts";
import type { Cable } from "#dc/model/resources.ts";
import { isWithinBounds } from "#dc/model/rules/general.ts";
import { NUMBER_BOUNDS } from "#gen/datacenter/v1/bounds.ts";
import { convertToEnumValue } from "../codes.ts";
import { removeEmptyFields } from "../items.ts";
import { readNumberCell, readTextCell } from "./dataset.ts";
import type { NetboxRow } from "./read_row.ts";
import type { NetboxMapping, PortPlace } from "./where.ts";

export const METRES_BY_UNIT: Readonly<Record<string, number>> = {
  km: 1000,
  m: 1,
  cm: 0.01,
  mi: 1609.344,
  ft: 0.3048,
  in: 0.0254,
};
const STATUS_BY_NAME: Readonly<Record<string, Cable["status"]>> = {
  connected: "CONNECTED",
  planned: "PLANNED",
  decommissioning: "DECOMMISSIONING",
};

interface CableEnds {
  readonly a: readonly string[];
  readonly b: readonly string[];
}

/** Notes the channels of each interface whose cable has several far ends. Must run before ports are created. */
export function recordBreakoutChannels(mapping: NetboxMapping): void {
  for (const [id, { a, b }] of mapping.data.listCableEnds()) {
    const [one, many] = a.length <= b.length ? [a, b] : [b, a];
    const end = one[0];
    if (one.length !== 1 || many.length < 2 || end === undefined || !end.startsWith("interface/")) continue;
    mapping.channelsByEnd.set(
      end,
      many.map((_, index) => createChannelKey(id, index)),
    );
  }
}

function createChannelKey(cable: string, index: number): string {
  return `channel/${cable}#${index}`;
}

/** Maps every cable. A cable with several lanes becomes one cable for each lane. */
export function mapCables(mapping: NetboxMapping): void {
  const taken = new Map<string, string>();
  const ends = mapping.data.listCableEnds();
  for (const row of mapping.data.all("cable")) {
    const lanes = pairLanes(mapping, row, ends.get(row.id) ?? { a: [], b: [] });
    for (const [index, [one, other]] of lanes.entries()) {
      const places = claimEndPorts(mapping, row, one, other, taken);
      if (places === undefined) continue;
      const [a, b] = orderCableEnds(createPortRef(places[0]), createPortRef(places[1]));
      const resource = removeEmptyFields<Cable>({
        a,
        b,
        ...createCableFields(mapping, row, places),
        ...mapping.createRemarks("cable", row),
      });
      mapping.items.push({
        kind: "cable",
        id: index === 0 ? `cable/${row.id}` : `cable/${row.id}#${index + 1}`,
        resource,
      });
    }
  }
}

function createPortRef({ deviceCode, portName }: PortPlace) {
  return { deviceCode, portName };
}

/** Returns the pairs of ends of a cable: position by position, or a divided port's channels with the other ends. */
function pairLanes(
  mapping: NetboxMapping,
  row: NetboxRow,
  { a, b }: CableEnds,
): readonly (readonly [string, string])[] {
  if (a.length === 0 || b.length === 0) {
    mapping.noteOmission("A cable with nothing at one end", "cable", row);
    return [];
  }
  if (a.length === b.length) return a.map((one, index) => [one, b[index] ?? ""] as const);
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  const end = few[0] ?? "";
  if (few.length === 1 && mapping.channelsByEnd.has(end) && mapping.ports.has(createChannelKey(row.id, 0))) {
    return many.map((other, index) => [createChannelKey(row.id, index), other] as const);
  }
  mapping.noteOmission(
    "A cable from some ports to a different number of others that are no divided interface",
    "cable",
    row,
    `${a.length} to ${b.length}`,
  );
  return [];
}

function claimEndPorts(
  mapping: NetboxMapping,
  row: NetboxRow,
  one: string,
  other: string,
  taken: Map<string, string>,
): readonly [PortPlace, PortPlace] | undefined {
  const a = mapping.ports.get(one);
  const b = mapping.ports.get(other);
  const why = findEndProblem(mapping, { one, a }, { one: other, a: b }) ?? findReusedPort(taken, a, b);
  if (why !== undefined || a === undefined || b === undefined) {
    mapping.noteOmission(why ?? "A cable to something that is not there", "cable", row, `${one} to ${other}`);
    return undefined;
  }
  for (const { deviceCode, portName } of [a, b]) taken.set(`${deviceCode}/${portName}`, row.id);
  return [a, b];
}

interface EndPort {
  readonly one: string;
  readonly a: PortPlace | undefined;
}

function findEndProblem(mapping: NetboxMapping, ...found: readonly [EndPort, EndPort]): string | undefined {
  for (const { one, a } of found) {
    if (a === undefined) return `A cable to something that has no ports here: ${getEndTable(one)}`;
    if (isCablelessType(findEndPortType(mapping, one))) return "A cable to an interface that takes none";
  }
  const [{ a }, { a: b }] = found;
  if (a === undefined || b === undefined) return undefined;
  if (a.deviceCode === b.deviceCode && a.portName === b.portName) return "A cable from a port to itself";
  return canConnectPortKinds(a.kind, b.kind) ? undefined : `A cable from ${a.kind} to ${b.kind}`;
}

function findReusedPort(
  taken: ReadonlyMap<string, string>,
  ...places: readonly (PortPlace | undefined)[]
): string | undefined {
  const isTaken = places.some((place) => place !== undefined && taken.has(`${place.deviceCode}/${place.portName}`));
  return isTaken ? "A cable to a port that holds another cable" : undefined;
}

function getEndTable(end: string): string {
  return end.split("/")[0] ?? "";
}

function findEndPortType(mapping: NetboxMapping, end: string): string | undefined {
  const [table, id = ""] = end.split("/");
  return table === "interface" ? readTextCell(mapping.data.rows("interface").get(id), "type") || undefined : undefined;
}

function createCableFields(mapping: NetboxMapping, row: NetboxRow, places: readonly PortPlace[]): Partial<Cable> {
  const length = readNumberCell(row, "length");
  const factor = METRES_BY_UNIT[readTextCell(row, "length_unit")];
  const metres = length === undefined || factor === undefined ? undefined : Math.round(length * factor * 1000) / 1000;
  const possible = metres === undefined || isWithinBounds(metres, NUMBER_BOUNDS.Cable.lengthM);
  if (!possible) mapping.noteOmission("A length that no cable has", "cable", row, String(length));
  const color = readTextCell(row, "color").replace(/^#/, "");
  const isColor = /^[0-9A-Fa-f]{6}$/.test(color);
  if (!isColor && color !== "")
    mapping.noteOmission("A color that is not written as six hexadecimal digits", "cable", row, color);
  return removeEmptyFields<Partial<Cable>>({
    type: findCableType(readTextCell(row, "type"), places),
    status: findCableStatus(mapping, row),
    label: mapping.readShortText("cable", row, "label"),
    color: isColor ? color.toUpperCase() : undefined,
    lengthM: possible ? metres : undefined,
    tenant: mapping.tenant("cable", row),
  });
}

function findCableStatus(mapping: NetboxMapping, row: NetboxRow): Cable["status"] | undefined {
  const word = readTextCell(row, "status");
  const status = STATUS_BY_NAME[word];
  if (status === undefined && word !== "")
    mapping.noteOmission("A status is none of ours: CONNECTED is taken", "cable", row, word);
  return status;
}

const CABLE_TYPE_PATTERNS: readonly (readonly [RegExp, CableType])[] = [
  [/^mmf/, "MMF"],
  [/^smf/, "SMF"],
  [/^coax|^rg-?\d/, "COAXIAL"],
  [/^usb/, "USB"],
];

function findCableType(word: string, places: readonly PortPlace[]): CableType | undefined {
  const known =
    convertToEnumValue(CABLE_TYPES, word) ?? CABLE_TYPE_PATTERNS.find(([pattern]) => pattern.test(word))?.[1];
  if (known !== undefined) return known;
  if (places.some(({ kind }) => kind === "POWER_IN" || kind === "POWER_OUT")) return "POWER";
  return word === "" ? undefined : "OTHER";
}
