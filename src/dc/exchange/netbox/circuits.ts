import type { Device, Location, Port } from "#dc/model/resources.ts";
import { compact } from "../item.ts";
import { text } from "./dataset.ts";
import type { Mapping } from "./mapping.ts";
import type { Row } from "./read_row.ts";

interface Side {
  readonly row: Row;
  readonly name: "A" | "Z";
  /** Whether the carrier's network ends here, rather than one of our sites. */
  readonly outside: boolean;
}

/** Circuits that a cable ends at need codes as devices do. */
export function circuitNames(mapping: Mapping) {
  return cabledCircuits(mapping).map((circuit) => ({
    id: `circuit/${circuit.id}`,
    name: text(circuit, "cid"),
    within: ["circuit", text(mapping.data.named("provider", circuit, "provider"), "name")],
  }));
}

/**
 * Maps every cabled circuit. One between two sites carries what enters at one end to the other, as a pair of joined
 * ports; one that leads to a carrier's network ends there.
 */
export function mapCircuits(mapping: Mapping): void {
  const terminations = mapping.data.grouped("circuittermination", "circuit");
  const carried = new Set(cabledCircuits(mapping));
  for (const circuit of mapping.data.all("circuit")) {
    const sides = (terminations.get(circuit.id) ?? []).map(sideOf);
    const location = locationOf(mapping, sides);
    if (!carried.has(circuit)) mapping.omit("A circuit without a cable", "circuit", circuit);
    else if (location === undefined) mapping.omit("A circuit names no site that exists", "circuit", circuit);
    else mapOne(mapping, circuit, sides, location);
  }
}

function mapOne(mapping: Mapping, circuit: Row, sides: readonly Side[], location: Location): void {
  const code = mapping.devices.get(`circuit/${circuit.id}`) ?? "";
  const leadsOut = sides.some(({ outside }) => outside);
  for (const { row, name } of sides) {
    const passive = name === "A" ? "FRONT" : "REAR";
    const place = { deviceCode: code, portName: name, kind: leadsOut ? "NETWORK" : passive } as const;
    mapping.ports.set(`circuittermination/${row.id}`, place);
  }
  const provider = text(mapping.data.named("provider", circuit, "provider"), "name");
  const status = text(circuit, "status");
  const ends = sides.filter(({ outside }) => !outside).map(({ name }): Port => ({ name, kind: "NETWORK" }));
  const resource = compact<Device>({
    code,
    name: mapping.shortened(`${provider} ${text(circuit, "cid")}`.trim(), "circuit", circuit, "cid"),
    kind: leadsOut ? "OTHER" : "PATCH_PANEL",
    role: "circuit",
    status: status === "active" || status === "" ? "ACTIVE" : "OFFLINE",
    location,
    ports: leadsOut ? ends : through(),
    ...mapping.remarks("circuit", circuit, [
      ["provider", provider],
      ["network", networkOf(mapping, sides)],
    ]),
  });
  mapping.items.push({ kind: "device", id: `circuit/${circuit.id}`, resource });
}

function locationOf(mapping: Mapping, sides: readonly Side[]): Location | undefined {
  const near = sides.find(({ outside }) => !outside)?.row;
  return near === undefined ? undefined : (mapping.where.of(near) ?? siteOfTermination(mapping, near));
}

function through(): readonly Port[] {
  return [
    { name: "A", kind: "FRONT", mappings: [{ frontPosition: 1, rearPort: "Z", rearPosition: 1 }] },
    { name: "Z", kind: "REAR" },
  ];
}

/** Circuits at whose ends a cable is. */
function cabledCircuits({ data }: Mapping): readonly Row[] {
  const ended = new Set<string>();
  for (const { a, b } of data.cableEnds().values()) {
    for (const end of [...a, ...b]) {
      const [table, id = ""] = end.split("/");
      if (table === "circuittermination") ended.add(text(data.rows("circuittermination").get(id), "circuit"));
    }
  }
  return data.all("circuit").filter(({ id }) => ended.has(id));
}

function sideOf(row: Row): Side {
  const type = text(row, "termination_type");
  const outside = text(row, "provider_network") !== "" || type.endsWith("providernetwork");
  return { row, name: text(row, "side").toUpperCase() === "Z" ? "Z" : "A", outside };
}

/** NetBox 4.2 and later names what a circuit ends at by type and id. */
function siteOfTermination(mapping: Mapping, row: Row) {
  const type = text(row, "termination_type");
  const id = text(row, "termination");
  const { data } = mapping;
  const holder = type.endsWith("site")
    ? data.rows("site").get(id)
    : type.endsWith("location")
      ? data.rows("location").get(id)
      : undefined;
  if (holder === undefined) return undefined;
  const field = type.endsWith("site") ? "site" : "location";
  return mapping.where.of({ id: row.id, cells: { [field]: id } });
}

function networkOf({ data }: Mapping, sides: readonly Side[]): string {
  const outside = sides.find((side) => side.outside)?.row;
  const named =
    data.named("providernetwork", outside, "provider_network") ??
    data.rows("providernetwork").get(text(outside, "termination"));
  return text(named, "name");
}
