import type { Device, Location, Port } from "#dc/model/resources.ts";
import { removeEmptyFields } from "../item.ts";
import { readTextCell } from "./dataset.ts";
import type { NetboxMapping } from "./mapping.ts";
import type { NetboxRow } from "./read_row.ts";

interface CircuitSide {
  readonly row: NetboxRow;
  readonly name: "A" | "Z";
  /** Whether this side of a circuit ends in the carrier's network instead of at a site. */
  readonly isOutside: boolean;
}

/** Returns names of the circuits with cables, which become devices and need codes. */
export function listCircuitNames(mapping: NetboxMapping) {
  return listCabledCircuits(mapping).map((circuit) => ({
    id: `circuit/${circuit.id}`,
    name: readTextCell(circuit, "cid"),
    within: ["circuit", readTextCell(mapping.data.findReferencedRow("provider", circuit, "provider"), "name")],
  }));
}

/**
 * Maps every cabled circuit to a device. A circuit between two sites becomes a pair of joined ports. A circuit to a
 * carrier's network has only the port at the site.
 */
export function mapCircuits(mapping: NetboxMapping): void {
  const terminations = mapping.data.groupRowsByField("circuittermination", "circuit");
  const carried = new Set(listCabledCircuits(mapping));
  for (const circuit of mapping.data.all("circuit")) {
    const sides = (terminations.get(circuit.id) ?? []).map(readTerminationSide);
    const location = findCircuitLocation(mapping, sides);
    if (!carried.has(circuit)) mapping.noteOmission("A circuit without a cable", "circuit", circuit);
    else if (location === undefined) mapping.noteOmission("A circuit names no site that exists", "circuit", circuit);
    else mapCircuit(mapping, circuit, sides, location);
  }
}

function mapCircuit(
  mapping: NetboxMapping,
  circuit: NetboxRow,
  sides: readonly CircuitSide[],
  location: Location,
): void {
  const code = mapping.devices.get(`circuit/${circuit.id}`) ?? "";
  const leadsOut = sides.some(({ isOutside }) => isOutside);
  for (const { row, name } of sides) {
    const passive = name === "A" ? "FRONT" : "REAR";
    const place = { deviceCode: code, portName: name, kind: leadsOut ? "NETWORK" : passive } as const;
    mapping.ports.set(`circuittermination/${row.id}`, place);
  }
  const provider = readTextCell(mapping.data.findReferencedRow("provider", circuit, "provider"), "name");
  const status = readTextCell(circuit, "status");
  const ends = sides.filter(({ isOutside }) => !isOutside).map(({ name }): Port => ({ name, kind: "NETWORK" }));
  const resource = removeEmptyFields<Device>({
    code,
    name: mapping.shortenText(`${provider} ${readTextCell(circuit, "cid")}`.trim(), "circuit", circuit, "cid"),
    kind: leadsOut ? "OTHER" : "PATCH_PANEL",
    role: "circuit",
    status: status === "active" || status === "" ? "ACTIVE" : "OFFLINE",
    location,
    ports: leadsOut ? ends : createThroughPorts(),
    ...mapping.createRemarks("circuit", circuit, [
      ["provider", provider],
      ["network", findNetworkName(mapping, sides)],
    ]),
  });
  mapping.items.push({ kind: "device", id: `circuit/${circuit.id}`, resource });
}

function findCircuitLocation(mapping: NetboxMapping, sides: readonly CircuitSide[]): Location | undefined {
  const near = sides.find(({ isOutside }) => !isOutside)?.row;
  return near === undefined ? undefined : (mapping.where.findLocation(near) ?? findTerminationSite(mapping, near));
}

function createThroughPorts(): readonly Port[] {
  return [
    { name: "A", kind: "FRONT", mappings: [{ frontPosition: 1, rearPort: "Z", rearPosition: 1 }] },
    { name: "Z", kind: "REAR" },
  ];
}

/** Returns the circuits with a cable at an end. */
function listCabledCircuits({ data }: NetboxMapping): readonly NetboxRow[] {
  const ended = new Set<string>();
  for (const { a, b } of data.listCableEnds().values()) {
    for (const end of [...a, ...b]) {
      const [table, id = ""] = end.split("/");
      if (table === "circuittermination") ended.add(readTextCell(data.rows("circuittermination").get(id), "circuit"));
    }
  }
  return data.all("circuit").filter(({ id }) => ended.has(id));
}

function readTerminationSide(row: NetboxRow): CircuitSide {
  const type = readTextCell(row, "termination_type");
  const outside = readTextCell(row, "provider_network") !== "" || type.endsWith("providernetwork");
  return { row, name: readTextCell(row, "side").toUpperCase() === "Z" ? "Z" : "A", isOutside: outside };
}

/** Returns the site of a circuit's end. NetBox 4.2 and later identify the end by type and id. */
function findTerminationSite(mapping: NetboxMapping, row: NetboxRow) {
  const type = readTextCell(row, "termination_type");
  const id = readTextCell(row, "termination");
  const field = (["site", "location"] as const).find((table) => type.endsWith(table));
  if (field === undefined || !mapping.data.rows(field).has(id)) return undefined;
  return mapping.where.findLocation({ id: row.id, cells: { [field]: id } });
}

function findNetworkName({ data }: NetboxMapping, sides: readonly CircuitSide[]): string {
  const outside = sides.find((side) => side.isOutside)?.row;
  const named =
    data.findReferencedRow("providernetwork", outside, "provider_network") ??
    data.rows("providernetwork").get(readTextCell(outside, "termination"));
  return readTextCell(named, "name");
}
