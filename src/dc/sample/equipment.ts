import {
  createCassette,
  createFixedInlet,
  createInlet,
  createNetworkPort,
  createOutlet,
  formatTwoDigits,
  getFeedId,
  getSupplyCapacityW,
  type Hall,
  listSpineCodes,
  type PlannedRack,
  type SampleJson,
  SIDES,
  type Side,
} from "./plan.ts";

// Devices of each rack. Two devices of the first hall are wrong on purpose, so that the sample has findings.

/** Both supplies of this rack are on side A. */
const DOUBLE_FED_RACK = "A08";
/** Both supplies of this server are plugged into side A. */
const ONE_SIDED_SERVER = "SRV-B03-07";
const GPU_NODES_PER_RACK = 4;
const NICS_PER_GPU_NODE = 4;
const STORAGE_NODES_PER_RACK = 8;
const SPINE_PORTS = 72;
/** Number of a leaf's first uplink port, unless the leaf has more ports for its rack. */
const MIN_UPLINK_NUMBER = 49;

export function* generateEquipment(hall: Hall): Generator<SampleJson> {
  for (const rack of hall.racks) {
    for (const side of SIDES) yield createRackPdu(rack, side);
    if (rack.role === "network") {
      yield* generateNetworkCore(hall, rack);
    } else {
      yield* generateNodes(hall, rack);
      yield* generateAccessDevices(hall, rack);
    }
  }
}

/** Returns the number of servers in a compute rack: twenty, or in a dense hall two in each of 36 units. */
export function countServers(hall: Hall): number {
  return hall.isDense ? 72 : 20;
}

export function getNodeCode({ code, role }: PlannedRack, number: number): string {
  if (role === "storage") return `STO-${code}-${number}`;
  return role === "gpu" ? `GPU-${code}-${number}` : `SRV-${code}-${formatTwoDigits(number)}`;
}

export function countNodes(hall: Hall, { role }: PlannedRack): number {
  if (role === "storage") return STORAGE_NODES_PER_RACK;
  return role === "gpu" ? GPU_NODES_PER_RACK : countServers(hall);
}

/** Returns the name of a leaf's port to a spine. */
export function getUplinkPort(hall: Hall, rack: PlannedRack, number: number): string {
  return `Ethernet${Math.max(MIN_UPLINK_NUMBER, countDownlinks(hall, rack) + 1) + number}`;
}

function countDownlinks(hall: Hall, { role }: PlannedRack): number {
  return role === "compute" && hall.isDense ? countServers(hall) : 24;
}

export function getPatchPanelCode({ code }: PlannedRack): string {
  return `PP-${code}-1`;
}

export function getManagementSwitchCode({ code }: PlannedRack): string {
  return `MGMT-${code}`;
}

export function getPduCode({ code }: PlannedRack, side: Side): string {
  return `PDU-${code}-${side}`;
}

/** Lists devices plugged into a network rack's outlets, in outlet order; the console server has only one plug. */
export function listPluggedDevices({ code, ...rack }: PlannedRack, side: Side): readonly string[] {
  const both = [...listSpineCodes({ code, ...rack }), `FW-${code}-1`, `RTR-${code}-1`];
  return side === "A" ? [...both, `OOB-${code}`] : both;
}

function createRackPdu(rack: PlannedRack, side: Side): SampleJson {
  const { code, role } = rack;
  const fed = code === DOUBLE_FED_RACK ? "A" : side;
  const outlets =
    role === "gpu" ? GPU_NODES_PER_RACK * 3 + 1 : role === "network" ? listPluggedDevices(rack, side).length : 0;
  return {
    code: getPduCode(rack, side),
    kind: "DEVICE_KIND_RACK_PDU",
    rack_code: code,
    mount: side === "A" ? "MOUNT_ZERO_U_LEFT" : "MOUNT_ZERO_U_RIGHT",
    face: "FACE_REAR",
    u_height: 0,
    role: "rack-pdu",
    power: { capacity_w: getSupplyCapacityW(rack), power_path: side },
    ports: [
      createFixedInlet("main", `feed:${getFeedId(code, fed)}`, "iec-60309-3p-n-e-6h"),
      ...[...Array(outlets).keys()].map((index) => createOutlet(`OUT${formatTwoDigits(index + 1)}`)),
    ],
  };
}

/** Creates a device that is mounted on rails. Its maximum draw is 40 % above its allocated draw. */
function createRackedDevice(
  code: string,
  kind: string,
  place: SampleJson & { readonly role: string; readonly drawW?: number },
): SampleJson {
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

function* generateNodes(hall: Hall, rack: PlannedRack): Generator<SampleJson> {
  for (let number = 1; number <= countNodes(hall, rack); number += 1) {
    if (rack.role === "gpu") yield createGpuNode(rack, number);
    else if (rack.role === "storage") yield createStorageNode(rack, number);
    else yield hall.isDense ? createDenseServer(rack, number) : createServer(rack, number);
  }
}

function createPlainPorts(rack: PlannedRack, sides: readonly Side[]): readonly SampleJson[] {
  return [
    ...sides.map((side, index) => createInlet(`psu${index + 1}`, `device:${getPduCode(rack, side)}`)),
    createNetworkPort("eth0", "25gbase-x-sfp28"),
    createNetworkPort("eth1", "25gbase-x-sfp28"),
  ];
}

function createServer(rack: PlannedRack, number: number): SampleJson {
  const code = getNodeCode(rack, number);
  return createRackedDevice(code, "SERVER", {
    rack_code: rack.code,
    position_u: number,
    role: "compute",
    drawW: 380,
    ports: createPlainPorts(rack, code === ONE_SIDED_SERVER ? ["A", "A"] : SIDES),
  });
}

function createDenseServer(rack: PlannedRack, number: number): SampleJson {
  return createRackedDevice(getNodeCode(rack, number), "SERVER", {
    rack_code: rack.code,
    position_u: Math.ceil(number / 2),
    slot: number % 2 === 1 ? "SLOT_WIDTH_LEFT" : "SLOT_WIDTH_RIGHT",
    role: "compute",
    drawW: 120,
    ports: [...createPlainPorts(rack, SIDES), createNetworkPort("bmc", "1000base-t", { mgmt_only: true })],
  });
}

function createStorageNode(rack: PlannedRack, number: number): SampleJson {
  return createRackedDevice(getNodeCode(rack, number), "STORAGE", {
    rack_code: rack.code,
    position_u: (number - 1) * 4 + 1,
    u_height: 4,
    role: "storage",
    drawW: 700,
    ports: createPlainPorts(rack, SIDES),
  });
}

function createGpuNode(rack: PlannedRack, number: number): SampleJson {
  const plugs = SIDES.flatMap((side) =>
    [1, 2, 3].map((plug) => `port:${getPduCode(rack, side)}/OUT${formatTwoDigits((number - 1) * 3 + plug)}`),
  );
  return createRackedDevice(getNodeCode(rack, number), "SERVER", {
    rack_code: rack.code,
    position_u: (number - 1) * 8 + 1,
    u_height: 8,
    role: "gpu",
    drawW: 6800,
    cooling_method: "COOLING_METHOD_HYBRID",
    liquid_fraction_pct: 70,
    power: { min_live_inlets: 3 },
    ports: [
      ...plugs.map((plug, index) => createInlet(`psu${index + 1}`, plug)),
      ...[...Array(NICS_PER_GPU_NODE).keys()].map((nic) => createNetworkPort(`eth${nic}`, "100gbase-x-qsfp28")),
    ],
  });
}

/** Generates leaves, management switch and patch panel of a rack. */
function* generateAccessDevices(hall: Hall, rack: PlannedRack): Generator<SampleJson> {
  const isGpu = rack.role === "gpu";
  const supply = (side: Side) => (isGpu ? `port:${getPduCode(rack, side)}/OUT13` : `device:${getPduCode(rack, side)}`);
  const speed = isGpu ? "100gbase-x-qsfp28" : "25gbase-x-sfp28";
  for (const [index, code] of rack.leaves.entries()) {
    yield createRackedDevice(code, "SWITCH", {
      rack_code: rack.code,
      position_u: 41 - index,
      role: "leaf",
      drawW: isGpu ? 400 : 220,
      ports: [
        ...SIDES.map((side, plug) => createInlet(`psu${plug + 1}`, supply(side))),
        ...listNumberedNames("Ethernet", countDownlinks(hall, rack)).map((name) =>
          createNetworkPort(name, speed, { net_role: "NET_ROLE_DOWNLINK" }),
        ),
        ...[0, 1, 2, 3].map((number) =>
          createNetworkPort(getUplinkPort(hall, rack, number), "100gbase-x-qsfp28", { net_role: "NET_ROLE_UPLINK" }),
        ),
      ],
    });
  }
  if (!isGpu) yield createManagementSwitch(hall, rack);
  yield createRackedDevice(getPatchPanelCode(rack), "PATCH_PANEL", {
    rack_code: rack.code,
    position_u: 42,
    depth: "DEPTH_HALF",
    role: "patch-panel",
    ports: [...createCassette("R1", ["F1", "F2", "F3", "F4"]), ...createCassette("R2", ["F5", "F6", "F7", "F8"])],
  });
}

function createManagementSwitch(hall: Hall, rack: PlannedRack): SampleJson {
  const ports = hall.isDense && rack.role === "compute" ? listNumberedNames("Ethernet", countServers(hall)) : [];
  return createRackedDevice(getManagementSwitchCode(rack), "SWITCH", {
    rack_code: rack.code,
    position_u: 39,
    role: "mgmt-switch",
    drawW: 60,
    ports: [
      createInlet("psu1", `device:${getPduCode(rack, "A")}`),
      ...ports.map((name) => createNetworkPort(name, "1000base-t")),
    ],
  });
}

function* generateNetworkCore(hall: Hall, rack: PlannedRack): Generator<SampleJson> {
  const rack_code = rack.code;
  const plugs = [createInlet("psu1"), createInlet("psu2")];
  for (const [index, code] of listSpineCodes(rack).entries()) {
    const ports = listNumberedNames("Ethernet", SPINE_PORTS).map((name) =>
      createNetworkPort(name, "100gbase-x-qsfp28", { net_role: "NET_ROLE_DOWNLINK" }),
    );
    const place = { rack_code, position_u: 20 + index * 3, u_height: 2 };
    yield createRackedDevice(code, "SWITCH", { ...place, role: "spine", drawW: 900, ports: [...plugs, ...ports] });
  }
  yield createRackedDevice(`FW-${rack_code}-1`, "FIREWALL", {
    rack_code,
    position_u: 30,
    role: "firewall",
    drawW: 650,
    ports: plugs,
  });
  yield createRackedDevice(`RTR-${rack_code}-1`, "ROUTER", {
    rack_code,
    position_u: 32,
    u_height: 2,
    role: "border-leaf",
    drawW: 550,
    ports: plugs,
  });
  yield createRackedDevice(`OOB-${rack_code}`, "CONSOLE_SERVER", {
    rack_code,
    position_u: 38,
    role: "console",
    drawW: 60,
    ports: [createInlet("psu1")],
  });
  yield createRackedDevice(getPatchPanelCode(rack), "PATCH_PANEL", {
    rack_code,
    position_u: 42,
    depth: "DEPTH_HALF",
    role: "patch-panel",
    ports: hall.racks.flatMap(({ code, leaves }) =>
      leaves.length === 0 ? [] : createCassette(`R-${code}`, listNumberedNames(`F-${code}-`, leaves.length * 2)),
    ),
  });
}

function listNumberedNames(prefix: string, count: number): readonly string[] {
  return [...Array(count).keys()].map((index) => `${prefix}${index + 1}`);
}
