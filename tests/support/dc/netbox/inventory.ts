import { choice, type Lists, NetboxLists, ref } from "./lists.ts";

/** Ids that tests ask about. */
export interface InventoryIds {
  readonly racks: readonly number[];
  readonly servers: readonly number[];
  readonly pdus: readonly number[];
  readonly closets: readonly number[];
  readonly chassis: number;
  readonly blade: number;
  readonly panel: number;
  readonly circuit: number;
  readonly breakout: number;
}

/**
 * A NetBox of two sites: names that no code takes, racks of one name, a power panel with a PDU on each side, panels
 * and trunks between two racks, a chassis with a blade, a breakout cable and a circuit to a carrier.
 */
export function netboxInventory(): { readonly lists: Lists; readonly ids: InventoryIds } {
  const box = new NetboxLists();
  const region = box.named("dcim/regions", "Bayern");
  const site = box.named("dcim/sites", "München Süd", { slug: "muc-south", region: ref(region) });
  const branch = box.named("dcim/sites", "Branch", { slug: "branch" });
  const floor = box.named("dcim/locations", "Floor 2", { slug: "floor-2", site: ref(site), parent: null });
  const room = box.named("dcim/locations", "Suite A", { slug: "suite-a", site: ref(site), parent: ref(floor) });
  const row = box.named("dcim/locations", "Row 1", { slug: "row-1", site: ref(site), parent: ref(room) });
  const tenant = box.named("tenancy/tenants", "Größe & Co");
  const maker = box.named("dcim/manufacturers", "Acme");
  const roles = rolesOf(box);
  const types = typesOf(box, maker);
  const racks = [1, 2].map((number) =>
    box.rack(site, `A ${number}`, {
      location: ref(row),
      tenant: ref(tenant),
      max_weight: 900,
      weight_unit: choice("kg"),
    }),
  );
  const [rackA = 0, rackB = 0] = racks;
  const closets = [site, branch].map((at) => box.rack(at, "Comms closet", { u_height: 12 }));
  box.add("dcim/rack-reservations", {
    rack: ref(rackA),
    units: [1, 2, 40],
    user: { id: 1, username: "alice" },
    tenant: null,
    description: "later",
  });

  const panel = box.named("dcim/power-panels", "PP 1", { site: ref(site), location: ref(room) });
  const feeds = ["A", "B"].map((side) => box.feed(panel, rackA, `A1-${side}`));
  const pdus = ["A", "B"].map((side) =>
    box.device({ site, rack: rackA, type: types.pdu, role: roles.pdu }, `pdu-a1-${side.toLowerCase()}`),
  );
  const outlets = pdus.map((pdu, index) => powerUp(box, pdu, feeds[index] ?? 0));

  const servers = [1, 2, 3].map((number) =>
    server(box, { site, rack: rackA, position: number * 2, type: types.server, role: roles.server }, `srv:0${number}`),
  );
  for (const [index, { psus }] of servers.entries()) {
    for (const [side, psu] of psus.entries()) {
      const outlet = outlets[side]?.[index];
      if (outlet !== undefined && !(index === 2 && side === 1))
        box.cable([["dcim.powerport", psu]], [["dcim.poweroutlet", outlet]]);
    }
  }
  const tor = box.device({ site, rack: rackA, position: 42, type: types.tor, role: roles.tor }, "tor/a1", {
    virtual_chassis: null,
  });
  const breakout = switchPorts(
    box,
    tor,
    servers.map(({ nic }) => nic),
  );
  patch(box, { site, racks: [rackA, rackB], type: types.patch, role: roles.patch, from: tor });
  const { chassis, blade } = bladesOf(box, { site, rack: rackB, types, role: roles.server });
  const circuit = circuitOf(box, site, tor);
  box.device({ site: branch, rack: closets[1] ?? 0, position: 3, type: types.tor, role: roles.tor }, null, {
    comments: "x".repeat(5000),
    tags: [{ slug: "edge" }],
  });
  return {
    lists: box.lists,
    ids: { racks, servers: servers.map(({ id }) => id), pdus, closets, chassis, blade, panel, circuit, breakout },
  };
}

function rolesOf(box: NetboxLists) {
  const role = (name: string) => box.named("dcim/device-roles", name);
  return { pdu: role("PDU"), server: role("Application Server"), tor: role("ToR Switch"), patch: role("Patch Panel") };
}

function typesOf(box: NetboxLists, maker: number) {
  return {
    pdu: box.type(maker, "PDU 24", { u_height: 0, weight: 5, weight_unit: choice("kg") }),
    server: box.type(maker, "Server 2U", { u_height: 2, airflow: choice("front-to-rear") }),
    tor: box.type(maker, "ToR 48"),
    patch: box.type(maker, "Panel 12", { is_full_depth: false }),
    chassis: box.type(maker, "Enclosure", { u_height: 10, subdevice_role: choice("parent") }),
    blade: box.type(maker, "Blade", { u_height: 0, subdevice_role: choice("child") }),
  };
}

/** A PDU's inlet on a feed, and its outlets. */
function powerUp(box: NetboxLists, pdu: number, feedId: number): readonly number[] {
  const inlet = box.port("power-ports", pdu, "Input", "iec-60309-3p-n-e-6h");
  box.cable([["dcim.powerfeed", feedId]], [["dcim.powerport", inlet]], {
    length: 10,
    length_unit: choice("ft"),
    color: "aa1409",
  });
  return [1, 2, 3, 4].map((number) =>
    box.port("power-outlets", pdu, `Outlet ${number}`, "iec-60320-c13", {
      power_port: ref(inlet),
      feed_leg: choice("A"),
    }),
  );
}

function server(box: NetboxLists, where: Parameters<NetboxLists["device"]>[0], name: string) {
  const id = box.device(where, name, {
    custom_fields: { owner: "ops", cost: 12, none: null },
    serial: `S${where.position}`,
  });
  const psus = [1, 2].map((number) =>
    box.port("power-ports", id, `PSU${number}`, "iec-60320-c14", { maximum_draw: 500, allocated_draw: 200 }),
  );
  const nic = box.port("interfaces", id, "eth0", "25gbase-x-sfp28", {
    enabled: true,
    mgmt_only: false,
    speed: 25_000_000,
    mac_address: "AA:BB:CC:00:11:22",
  });
  box.add("dcim/inventory-items", { device: ref(id), name: "DIMM 0", manufacturer: null, part_id: "D4", serial: "9" });
  return { id, psus, nic };
}

/** One 100G port that leads to three servers, and one upwards. */
function switchPorts(box: NetboxLists, tor: number, nics: readonly number[]): number {
  const port = box.port("interfaces", tor, "1", "100gbase-x-qsfp28", { enabled: true });
  box.port("interfaces", tor, "lag0", "lag", { enabled: true });
  return box.cable(
    [["dcim.interface", port]],
    nics.map((nic) => ["dcim.interface", nic] as const),
    { type: "dac-passive" },
  );
}

/** Two panels whose front and rear ports share names, joined by a trunk of two fibres. */
function patch(
  box: NetboxLists,
  {
    site,
    racks,
    type,
    role,
    from,
  }: { site: number; racks: readonly number[]; type: number; role: number; from: number },
): void {
  const rears = racks.map((rack, index) => {
    const panel = box.device({ site, rack, position: 20, type, role }, `panel ${index + 1}`);
    const rear = box.port("rear-ports", panel, "1", "mpo", { positions: 2 });
    const fronts = [1, 2].map((position) =>
      box.port("front-ports", panel, String(position), "lc", { rear_port: ref(rear), rear_port_position: position }),
    );
    return { rear, fronts };
  });
  const [one, other] = rears;
  if (one === undefined || other === undefined) return;
  box.cable([["dcim.rearport", one.rear]], [["dcim.rearport", other.rear]], {
    type: "smf-os2",
    length: 30,
    length_unit: choice("m"),
  });
  const up = box.port("interfaces", from, "49", "100gbase-x-qsfp28", { enabled: true });
  box.cable([["dcim.interface", up]], [["dcim.frontport", one.fronts[0] ?? 0]]);
}

function bladesOf(
  box: NetboxLists,
  { site, rack, types, role }: { site: number; rack: number; types: ReturnType<typeof typesOf>; role: number },
) {
  const chassis = box.device({ site, rack, position: 5, type: types.chassis, role }, "chassis-1");
  const blade = box.device({ site, rack, type: types.blade, role }, "blade-1");
  box.add("dcim/device-bays", { device: ref(chassis), name: "Bay 1", installed_device: ref(blade) });
  box.add("dcim/device-bays", { device: ref(chassis), name: "Bay 2", installed_device: null });
  return { chassis, blade };
}

function circuitOf(box: NetboxLists, site: number, tor: number): number {
  const provider = box.named("circuits/providers", "Carrier");
  const network = box.named("circuits/provider-networks", "MPLS", { provider: ref(provider) });
  const circuit = box.add("circuits/circuits", {
    cid: "KKDG 49/23",
    provider: ref(provider),
    status: choice("active"),
  });
  const near = box.add("circuits/circuit-terminations", {
    circuit: ref(circuit),
    term_side: "A",
    site: ref(site),
    provider_network: null,
  });
  box.add("circuits/circuit-terminations", {
    circuit: ref(circuit),
    term_side: "Z",
    site: null,
    provider_network: ref(network),
  });
  const wan = box.port("interfaces", tor, "50", "10gbase-x-sfpp", { enabled: true });
  box.cable([["circuits.circuittermination", near]], [["dcim.interface", wan]], { type: "smf" });
  return circuit;
}
