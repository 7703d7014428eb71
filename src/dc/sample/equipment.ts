import { feedId, type Hall, type PlannedRack, SIDES, type Side, spinesOf, supplyW, twoDigits } from "./plan.ts";
import { cassette, fixedInlet, type Item, inlet, network, outlet } from "./ports.ts";

// Devices of each rack. Two devices of the first hall are wrong on purpose, so that the sample has findings.

/** Both supplies of this rack are on side A. */
const DOUBLE_FED_RACK = "A08";
/** Both of its supplies are plugged into side A. */
const ONE_SIDED_SERVER = "SRV-B03-07";
const GPUS = 4;
const GPU_NICS = 4;
const STORAGE_NODES = 8;
const SPINE_PORTS = 72;
/** Uplinks begin here unless a leaf has more ports for its rack. */
const LEAST_UPLINK = 49;

export function* equipmentItems(hall: Hall): Generator<Item> {
  for (const rack of hall.racks) {
    for (const side of SIDES) yield rackPdu(rack, side);
    if (rack.role === "network") {
      yield* networkCore(hall, rack);
    } else {
      yield* nodes(hall, rack);
      yield* access(hall, rack);
    }
  }
}

/** Servers of a compute rack: twenty, or in a dense hall two in each of 36 units. */
export function serversIn(hall: Hall): number {
  return hall.dense ? 72 : 20;
}

export function nodeCode({ code, role }: PlannedRack, number: number): string {
  if (role === "storage") return `STO-${code}-${number}`;
  return role === "gpu" ? `GPU-${code}-${number}` : `SRV-${code}-${twoDigits(number)}`;
}

export function nodesIn(hall: Hall, { role }: PlannedRack): number {
  if (role === "storage") return STORAGE_NODES;
  return role === "gpu" ? GPUS : serversIn(hall);
}

/** The name of a leaf's port to a spine. */
export function uplinkPort(hall: Hall, rack: PlannedRack, number: number): string {
  return `Ethernet${Math.max(LEAST_UPLINK, downlinks(hall, rack) + 1) + number}`;
}

function downlinks(hall: Hall, { role }: PlannedRack): number {
  return role === "compute" && hall.dense ? serversIn(hall) : 24;
}

export function panelOf({ code }: PlannedRack): string {
  return `PP-${code}-1`;
}

export function managementOf({ code }: PlannedRack): string {
  return `MGMT-${code}`;
}

export function pduOf({ code }: PlannedRack, side: Side): string {
  return `PDU-${code}-${side}`;
}

/** What is plugged into the outlets of a network rack, in their order; the console server has one plug only. */
export function pluggedInto({ code, ...rack }: PlannedRack, side: Side): readonly string[] {
  const both = [...spinesOf({ code, ...rack }), `FW-${code}-1`, `RTR-${code}-1`];
  return side === "A" ? [...both, `OOB-${code}`] : both;
}

function rackPdu(rack: PlannedRack, side: Side): Item {
  const { code, role } = rack;
  const fed = code === DOUBLE_FED_RACK ? "A" : side;
  const outlets = role === "gpu" ? GPUS * 3 + 1 : role === "network" ? pluggedInto(rack, side).length : 0;
  return {
    code: pduOf(rack, side),
    kind: "DEVICE_KIND_RACK_PDU",
    rack_code: code,
    mount: side === "A" ? "MOUNT_ZERO_U_LEFT" : "MOUNT_ZERO_U_RIGHT",
    face: "FACE_REAR",
    u_height: 0,
    role: "rack-pdu",
    power: { capacity_w: supplyW(rack), power_path: side },
    ports: [
      fixedInlet("main", `feed:${feedId(code, fed)}`, "iec-60309-3p-n-e-6h"),
      ...[...Array(outlets).keys()].map((index) => outlet(`OUT${twoDigits(index + 1)}`)),
    ],
  };
}

/** A device on the rails; it may draw 40 % more than it is expected to. */
function rackedDevice(
  code: string,
  kind: string,
  place: Item & { readonly role: string; readonly drawW?: number },
): Item {
  const { drawW, ...more } = place;
  return {
    code,
    kind: `DEVICE_KIND_${kind}`,
    u_height: 1,
    face: "FACE_FRONT",
    depth: "DEPTH_FULL",
    ...more,
    ...(drawW !== undefined && { allocated_draw_w: drawW, max_draw_w: Math.floor(drawW * 1.4) }),
  };
}

function* nodes(hall: Hall, rack: PlannedRack): Generator<Item> {
  for (let number = 1; number <= nodesIn(hall, rack); number += 1) {
    if (rack.role === "gpu") yield gpu(rack, number);
    else if (rack.role === "storage") yield storage(rack, number);
    else yield hall.dense ? denseServer(rack, number) : server(rack, number);
  }
}

function plainPorts(rack: PlannedRack, sides: readonly Side[]): readonly Item[] {
  return [
    ...sides.map((side, index) => inlet(`psu${index + 1}`, `device:${pduOf(rack, side)}`)),
    network("eth0", "25gbase-x-sfp28"),
    network("eth1", "25gbase-x-sfp28"),
  ];
}

function server(rack: PlannedRack, number: number): Item {
  const code = nodeCode(rack, number);
  return rackedDevice(code, "SERVER", {
    rack_code: rack.code,
    position_u: number,
    role: "compute",
    drawW: 380,
    ports: plainPorts(rack, code === ONE_SIDED_SERVER ? ["A", "A"] : SIDES),
  });
}

function denseServer(rack: PlannedRack, number: number): Item {
  return rackedDevice(nodeCode(rack, number), "SERVER", {
    rack_code: rack.code,
    position_u: Math.ceil(number / 2),
    slot: number % 2 === 1 ? "SLOT_WIDTH_LEFT" : "SLOT_WIDTH_RIGHT",
    role: "compute",
    drawW: 120,
    ports: [...plainPorts(rack, SIDES), network("bmc", "1000base-t", { mgmt_only: true })],
  });
}

function storage(rack: PlannedRack, number: number): Item {
  return rackedDevice(nodeCode(rack, number), "STORAGE", {
    rack_code: rack.code,
    position_u: (number - 1) * 4 + 1,
    u_height: 4,
    role: "storage",
    drawW: 700,
    ports: plainPorts(rack, SIDES),
  });
}

function gpu(rack: PlannedRack, number: number): Item {
  const plugs = SIDES.flatMap((side) =>
    [1, 2, 3].map((plug) => `port:${pduOf(rack, side)}/OUT${twoDigits((number - 1) * 3 + plug)}`),
  );
  return rackedDevice(nodeCode(rack, number), "SERVER", {
    rack_code: rack.code,
    position_u: (number - 1) * 8 + 1,
    u_height: 8,
    role: "gpu",
    drawW: 6800,
    cooling_method: "COOLING_METHOD_HYBRID",
    liquid_fraction_pct: 70,
    power: { min_live_inlets: 3 },
    ports: [
      ...plugs.map((plug, index) => inlet(`psu${index + 1}`, plug)),
      ...[...Array(GPU_NICS).keys()].map((nic) => network(`eth${nic}`, "100gbase-x-qsfp28")),
    ],
  });
}

/** Leaves, management switch and patch panel of a rack. */
function* access(hall: Hall, rack: PlannedRack): Generator<Item> {
  const isGpu = rack.role === "gpu";
  const supply = (side: Side) => (isGpu ? `port:${pduOf(rack, side)}/OUT13` : `device:${pduOf(rack, side)}`);
  const speed = isGpu ? "100gbase-x-qsfp28" : "25gbase-x-sfp28";
  for (const [index, code] of rack.leaves.entries()) {
    yield rackedDevice(code, "SWITCH", {
      rack_code: rack.code,
      position_u: 41 - index,
      role: "leaf",
      drawW: isGpu ? 400 : 220,
      ports: [
        ...SIDES.map((side, plug) => inlet(`psu${plug + 1}`, supply(side))),
        ...numberNames("Ethernet", downlinks(hall, rack)).map((name) =>
          network(name, speed, { net_role: "NET_ROLE_DOWNLINK" }),
        ),
        ...[0, 1, 2, 3].map((number) =>
          network(uplinkPort(hall, rack, number), "100gbase-x-qsfp28", { net_role: "NET_ROLE_UPLINK" }),
        ),
      ],
    });
  }
  if (!isGpu) yield managementSwitch(hall, rack);
  yield rackedDevice(panelOf(rack), "PATCH_PANEL", {
    rack_code: rack.code,
    position_u: 42,
    depth: "DEPTH_HALF",
    role: "patch-panel",
    ports: [...cassette("R1", ["F1", "F2", "F3", "F4"]), ...cassette("R2", ["F5", "F6", "F7", "F8"])],
  });
}

function managementSwitch(hall: Hall, rack: PlannedRack): Item {
  const ports = hall.dense && rack.role === "compute" ? numberNames("Ethernet", serversIn(hall)) : [];
  return rackedDevice(managementOf(rack), "SWITCH", {
    rack_code: rack.code,
    position_u: 39,
    role: "mgmt-switch",
    drawW: 60,
    ports: [inlet("psu1", `device:${pduOf(rack, "A")}`), ...ports.map((name) => network(name, "1000base-t"))],
  });
}

function* networkCore(hall: Hall, rack: PlannedRack): Generator<Item> {
  const rack_code = rack.code;
  const plugs = [inlet("psu1"), inlet("psu2")];
  for (const [index, code] of spinesOf(rack).entries()) {
    const ports = numberNames("Ethernet", SPINE_PORTS).map((name) =>
      network(name, "100gbase-x-qsfp28", { net_role: "NET_ROLE_DOWNLINK" }),
    );
    const place = { rack_code, position_u: 20 + index * 3, u_height: 2 };
    yield rackedDevice(code, "SWITCH", { ...place, role: "spine", drawW: 900, ports: [...plugs, ...ports] });
  }
  yield rackedDevice(`FW-${rack_code}-1`, "FIREWALL", {
    rack_code,
    position_u: 30,
    role: "firewall",
    drawW: 650,
    ports: plugs,
  });
  yield rackedDevice(`RTR-${rack_code}-1`, "ROUTER", {
    rack_code,
    position_u: 32,
    u_height: 2,
    role: "border-leaf",
    drawW: 550,
    ports: plugs,
  });
  yield rackedDevice(`OOB-${rack_code}`, "CONSOLE_SERVER", {
    rack_code,
    position_u: 38,
    role: "console",
    drawW: 60,
    ports: [inlet("psu1")],
  });
  yield rackedDevice(panelOf(rack), "PATCH_PANEL", {
    rack_code,
    position_u: 42,
    depth: "DEPTH_HALF",
    role: "patch-panel",
    ports: hall.racks.flatMap(({ code, leaves }) =>
      leaves.length === 0 ? [] : cassette(`R-${code}`, numberNames(`F-${code}-`, leaves.length * 2)),
    ),
  });
}

function numberNames(prefix: string, count: number): readonly string[] {
  return [...Array(count).keys()].map((index) => `${prefix}${index + 1}`);
}
