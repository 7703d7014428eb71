import { expect, test } from "bun:test";
import type { DeviceKind, DeviceStatus, LinkStatus } from "#dc/model/enum_values.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import { type CabledWorld, panel, portAt, storeWorld } from "../../../support/dc/cabled_world.ts";
import { openMemory } from "../../../support/dc/memory/store.ts";
import { testService } from "../../../support/dc/service.ts";
import { putAll } from "../../../support/dc/stored.ts";

// A device is lost by the failure that takes the last of its data paths that work. What does not work before it helps nobody.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

const network = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `e${at + 1}`, kind: "NETWORK" }) as const);
const device = (code: string, kind: DeviceKind, status: DeviceStatus = "ACTIVE"): Device => ({
  code,
  kind,
  status,
  ports: network(4),
});
const server = (code: string, status?: DeviceStatus) => device(code, "SERVER", status);
const leaf = (code: string, status?: DeviceStatus) => ({ ...device(code, "SWITCH", status), role: "leaf" });
const spine = (code: string, status?: DeviceStatus) => ({ ...device(code, "SWITCH", status), role: "spine" });
/** A switch whose only inlet is at a PDU. */
const fedLeaf = (code: string, pdu: string): Device => ({
  ...leaf(code),
  ports: [...network(4), { name: "psu", kind: "POWER_IN", powerIn: { sourceRef: `device:${pdu}` } }],
});
const pdu = (code: string, status: DeviceStatus): Device => ({ code, kind: "RACK_PDU", status });

interface Situation extends CabledWorld {
  readonly says: string;
  readonly fails: string;
  /** Codes of the devices that lose their last data path. */
  readonly lost: readonly string[];
  /** Ports that fabric links join, the lower end first. */
  readonly linked?: readonly (readonly [string, string, LinkStatus?])[];
}

const PAIR = [
  ["H/e1", "A/e1"],
  ["H/e2", "B/e1"],
] as const;
const UPLINKS = [
  ["A/e4", "S1/e1"],
  ["B/e4", "S2/e1"],
] as const;
const UPLINK_CABLES = [...PAIR, ...UPLINKS];

const SITUATIONS: readonly Situation[] = [
  // What takes the last way.
  ...(["FAILED", "OFFLINE", "PLANNED", "STAGED", "INVENTORY"] as const).map((status) => ({
    says: `the other switch is ${status}`,
    devices: [server("H"), leaf("A"), leaf("B", status)],
    joined: PAIR,
    fails: "device:A",
    lost: ["H"],
  })),
  {
    says: "the other switch is dark",
    devices: [server("H"), leaf("A"), fedLeaf("B", "P"), pdu("P", "FAILED")],
    joined: PAIR,
    fails: "device:A",
    lost: ["H"],
  },
  {
    says: "the only switch",
    devices: [server("H"), leaf("A")],
    joined: [["H/e1", "A/e1"]],
    fails: "device:A",
    lost: ["H"],
  },
  {
    says: "the way to the other switch leads through a failed panel",
    devices: [server("H"), leaf("A"), leaf("B"), { ...panel("PP", 2), status: "FAILED" }],
    joined: [
      ["H/e1", "A/e1"],
      ["H/e2", "PP/F1"],
      ["PP/R", "B/e1"],
    ],
    fails: "device:A",
    lost: ["H"],
  },
  ...(["PLANNED", "DECOMMISSIONING"] as const).map((status) => ({
    says: `the way to the other switch leads over a cable behind a panel that is ${status}`,
    devices: [server("H"), leaf("A"), leaf("B"), panel("PP", 2)],
    joined: [PAIR[0], ["H/e2", "PP/F1"], ["PP/R", "B/e1", status]] as const,
    fails: "device:A",
    lost: ["H"],
  })),
  {
    says: "the other switch has lost its uplink before",
    devices: [server("H"), leaf("A"), leaf("B"), spine("S1"), spine("S2", "FAILED")],
    joined: UPLINK_CABLES,
    linked: UPLINKS,
    fails: "device:A",
    lost: ["H"],
  },
  {
    says: "the uplink of the other switch is recorded as down, and the spine of the first fails",
    devices: [server("H"), leaf("A"), leaf("B"), spine("S1"), spine("S2")],
    joined: UPLINK_CABLES,
    linked: [UPLINKS[0], [...UPLINKS[1], "DOWN"]],
    fails: "device:S1",
    lost: ["H"],
  },
  {
    says: "only one of two servers has another switch that works",
    devices: [server("H"), server("I"), leaf("A"), leaf("B", "FAILED"), leaf("C")],
    joined: [...PAIR, ["I/e1", "A/e2"], ["I/e2", "B/e2"], ["I/e3", "C/e1"]],
    fails: "device:A",
    lost: ["H"],
  },
  // What must stay silent.
  { says: "no cables at all", devices: [server("H"), leaf("A"), leaf("B")], joined: [], fails: "device:A", lost: [] },
  {
    says: "both switches on",
    devices: [server("H"), leaf("A"), leaf("B")],
    joined: PAIR,
    fails: "device:A",
    lost: [],
  },
  {
    says: "the other switch is on its way out, but on",
    devices: [server("H"), leaf("A"), leaf("B", "DECOMMISSIONING")],
    joined: PAIR,
    fails: "device:A",
    lost: [],
  },
  {
    says: "a planned server",
    devices: [server("H", "PLANNED"), leaf("A"), leaf("B", "FAILED")],
    joined: PAIR,
    fails: "device:A",
    lost: [],
  },
  {
    says: "a server that nothing reached before, of whose switches the one that is off fails again",
    devices: [server("H"), leaf("A", "FAILED"), leaf("B", "FAILED")],
    joined: PAIR,
    fails: "device:A",
    lost: [],
  },
  {
    says: "a server whose switches had both lost their uplinks before",
    devices: [server("H"), leaf("A"), leaf("B"), spine("S1", "FAILED"), spine("S2", "FAILED")],
    joined: UPLINK_CABLES,
    linked: UPLINKS,
    fails: "device:A",
    lost: [],
  },
  {
    says: "another switch whose only link is planned works without uplinks",
    devices: [server("H"), leaf("A"), leaf("B"), spine("S1"), spine("S2", "FAILED")],
    joined: UPLINK_CABLES,
    linked: [UPLINKS[0], [...UPLINKS[1], "PLANNED"]],
    fails: "device:A",
    lost: [],
  },
  {
    says: "a switch without links fails beside a failed one",
    devices: [server("H"), leaf("A"), leaf("B", "FAILED"), leaf("C")],
    joined: [["H/e1", "C/e1"]],
    fails: "device:A",
    lost: [],
  },
  {
    says: "a spine without anything below it fails",
    devices: [server("H"), leaf("A"), leaf("B"), spine("S1"), spine("S2", "FAILED")],
    joined: PAIR,
    fails: "device:S1",
    lost: [],
  },
];

const TIMES = { starts_at: "2026-02-01T00:00:00Z", ends_at: "2026-02-01T01:00:00Z" };

async function serviceOf({ devices, joined, linked = [] }: Omit<Situation, "fails" | "lost">) {
  const store = openMemory();
  await storeWorld(store, { devices, joined });
  const links = linked.map(([a, b, status]): FabricLink => ({ a: portAt(a), b: portAt(b), ...(status && { status }) }));
  await store.write((writer) => putAll(writer, "fabric_link", links));
  return testService({ store });
}

/** Codes of the lost devices by PowerBlastRadius, by CheckWindow, and their number by RehearseFailures and its worst. */
async function answers({ fails, ...situation }: Situation) {
  const service = await serviceOf(situation);
  const blast = await service.call("PowerBlastRadius", { source_ref: fails });
  const { reasons = [] } = await service.call("CheckWindow", { element_refs: [fails], ...TIMES });
  const { causes = [] } = await service.call("RehearseFailures", { kinds: ["FAILURE_KIND_SWITCH"] });
  const rows: readonly Json[] = causes.flatMap(({ elements }: Json) => elements);
  return {
    blast: blast.devices_without_data_path ?? [],
    window: reasons.flatMap(({ kind, ref }: Json) =>
      kind === "WINDOW_REASON_KIND_DATA_PATH_LOST" ? [ref.slice("device:".length)] : [],
    ),
    rehearsal: rows.find(({ refs }) => refs[0] === fails)?.devices_without_data_path_count ?? 0,
  };
}

test.each(SITUATIONS.map((situation) => [situation.says, situation] as const))(
  "a failure takes a device's last data path, or not: %s",
  async (_, situation) => {
    const { lost } = situation;
    expect(await answers(situation)).toEqual({ blast: lost, window: lost, rehearsal: lost.length });
  },
);

/** A window, and what one more failure then takes in data paths: codes of hosts by what fails. */
interface Further extends Omit<Situation, "fails" | "lost"> {
  readonly window: readonly string[];
  readonly further: Readonly<Record<string, readonly string[]>>;
}

const TWO = { devices: [server("H"), leaf("A"), leaf("B")], joined: PAIR };
const UNDER_SPINES = {
  devices: [server("H"), leaf("A"), leaf("B"), spine("S1"), spine("S2")],
  joined: UPLINK_CABLES,
  linked: UPLINKS,
};
const BEHIND_PANEL = {
  devices: [server("H"), leaf("A"), leaf("B"), panel("PP", 2)],
  joined: [PAIR[0], ["H/e2", "PP/F1"], ["PP/R", "B/e1"]],
} as const;

const FURTHER: readonly Further[] = [
  // One more failure takes the last way.
  { says: "one switch of a pair", ...TWO, window: ["device:A"], further: { "device:B": ["H"] } },
  { says: "a port of the server", ...TWO, window: ["port:H/e1"], further: { "device:B": ["H"] } },
  { says: "a cable", ...TWO, window: ["cable:H/e1~A/e1"], further: { "device:B": ["H"] } },
  { says: "the panel before a switch", ...BEHIND_PANEL, window: ["device:PP"], further: { "device:A": ["H"] } },
  { says: "a trunk", ...BEHIND_PANEL, window: ["port:PP/R"], further: { "device:A": ["H"] } },
  {
    says: "the spine of one switch: the other spine and switch",
    ...UNDER_SPINES,
    window: ["device:S1"],
    further: { "device:B": ["H"], "device:S2": ["H"] },
  },
  {
    says: "an uplink",
    ...UNDER_SPINES,
    window: ["fabric_link:A/e4~S1/e1"],
    further: { "device:B": ["H"], "device:S2": ["H"] },
  },
  {
    says: "the PDU of one switch: that of the other",
    devices: [server("H"), fedLeaf("A", "P"), fedLeaf("B", "Q"), pdu("P", "ACTIVE"), pdu("Q", "ACTIVE")],
    joined: PAIR,
    window: ["device:P"],
    further: { "device:B": ["H"], "device:Q": ["H"] },
  },
  {
    says: "a port, and a server that the supply of the other switch takes alone",
    devices: [server("H"), { ...fedLeaf("X", "P"), kind: "SERVER" }, fedLeaf("A", "P"), leaf("B"), pdu("P", "ACTIVE")],
    joined: PAIR,
    window: ["device:X", "port:H/e2"],
    further: { "device:A": ["H"], "device:P": ["H"] },
  },
  {
    says: "a spine of two to both switches: only the other spine takes both",
    ...UNDER_SPINES,
    linked: UPLINKS.flatMap(([from], at) => [
      [from, `S1/e${at + 1}`] as const,
      [from.replace("4", "3"), `S2/e${at + 1}`] as const,
    ]),
    window: ["device:S1"],
    further: { "device:S2": ["H"] },
  },
  // What must stay silent.
  {
    says: "a third switch",
    devices: [...TWO.devices, leaf("C")],
    joined: [...PAIR, ["H/e3", "C/e1"]],
    window: ["device:A"],
    further: {},
  },
  { says: "both switches: the window takes it", ...TWO, window: ["device:A", "device:B"], further: {} },
  { says: "the server itself", ...TWO, window: ["device:H", "device:A"], further: {} },
  {
    says: "a server at one switch alone, which the failure takes without the window too",
    devices: [server("H"), leaf("A"), leaf("B")],
    joined: [["H/e1", "B/e1"]],
    window: ["device:A"],
    further: {},
  },
  {
    says: "a planned server",
    ...TWO,
    devices: [server("H", "PLANNED"), leaf("A"), leaf("B")],
    window: ["device:A"],
    further: {},
  },
  {
    says: "a switch whose server was not reached by the other before",
    ...TWO,
    devices: [server("H"), leaf("A", "FAILED"), leaf("B")],
    window: ["device:A"],
    further: {},
  },
  { says: "a switch without servers", ...TWO, joined: [PAIR[0]], window: ["device:B"], further: {} },
];

test.each(FURTHER.map((further) => [further.says, further] as const))(
  "one more failure during a window takes a device's last data path, or not: %s",
  async (_, { window, further, ...situation }) => {
    const service = await serviceOf(situation);
    const reply = await service.call("CheckWindow", { element_refs: [...window], ...TIMES });
    const listed = (reply.next_failures ?? []).flatMap(({ ref, devices_without_data_path: codes = [] }: Json) =>
      codes.length > 0 ? [[ref, codes]] : [],
    );
    expect(Object.fromEntries(listed)).toEqual(further);
  },
);

/** Rear ports R1 at the switch A, R2 at B, and R3 without a cable. */
type Rear = "" | "R1" | "R2" | "R3";

/** A kind of device behind a panel, its mapping of F1 before and after a change, and how many hosts A and B then take. */
const REMAPPED: readonly (readonly [kind: DeviceKind, before: Rear, after: Rear, byA: number, byB: number])[] = [
  ["PATCH_PANEL", "R1", "R2", 0, 1],
  ["OTHER", "R1", "R2", 0, 1],
  ["CHASSIS", "R1", "R2", 0, 1],
  ["ROUTER", "R2", "R1", 1, 0],
  ["SERVER", "R2", "R1", 1, 0],
  ["OTHER", "", "R1", 1, 0],
  ["CHASSIS", "", "R2", 0, 1],
  ["SERVER", "R3", "R1", 1, 0],
  // What must stay silent.
  ["OTHER", "R1", "", 0, 0],
  ["CHASSIS", "R2", "", 0, 0],
  ["SERVER", "R1", "R3", 0, 0],
  ["OTHER", "", "R3", 0, 0],
  ["CHASSIS", "", "", 0, 0],
  // Another name alone.
  ["OTHER", "R1", "R1", 1, 0],
];

test.each(REMAPPED)("paths follow the ports of a %s mapped from %p to %p", async (kind, before, after, byA, byB) => {
  const rears = ["R1", "R2", "R3"].map((name) => ({ name, kind: "REAR" }) as const);
  const mapped = before === "" ? [] : [{ frontPosition: 1, rearPort: before, rearPosition: 1 }];
  const location = { siteId: "S", floorNumber: 1 };
  const device: Device = {
    code: "X",
    kind,
    location,
    ports: [...rears, { name: "F1", kind: "FRONT", mappings: mapped }],
  };
  const service = await serviceOf({
    says: "",
    devices: [server("H"), panel("PP", 1), device, leaf("A"), leaf("B")],
    joined: [
      ["H/e1", "PP/F1"],
      ["PP/R", "X/F1"],
      ["X/R1", "A/e1"],
      ["X/R2", "B/e1"],
    ],
  });
  const isolated = async () => {
    const { causes = [] } = await service.call("RehearseFailures", { kinds: ["FAILURE_KIND_SWITCH"] });
    const rows: readonly Json[] = causes.flatMap(({ elements }: Json) => elements);
    return ["device:A", "device:B"].map(
      (ref) => rows.find(({ refs }) => refs[0] === ref)?.devices_without_data_path_count ?? 0,
    );
  };
  expect(await isolated()).toEqual([Number(before === "R1"), Number(before === "R2")]);
  const mappings = after === "" ? [] : [{ front_position: 1, rear_port: after, rear_position: 1 }];
  const ports = [
    ...rears.map(({ name }) => ({ name, kind: "PORT_KIND_REAR" })),
    { name: "F1", kind: "PORT_KIND_FRONT", mappings },
  ];
  await service.call("UpsertDevice", { device: { code: "X", name: "Other", ports }, update_mask: "name,ports" });
  expect(await isolated()).toEqual([byA, byB]);
});
