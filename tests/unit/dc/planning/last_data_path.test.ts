import { expect, test } from "bun:test";
import type { DeviceKind, DeviceStatus, LinkStatus } from "#dc/model/enum_values.ts";
import type { Cable, Device, FabricLink, Port } from "#dc/model/resources.ts";
import { panel, portAt, storeWorld } from "../../../support/dc/cabled_world.ts";
import { openMemory } from "../../../support/dc/memory/store.ts";
import { testService } from "../../../support/dc/service.ts";
import { putAll } from "../../../support/dc/stored.ts";

// A device is lost by the failure that takes the last of its data paths that work. What does not work before it helps nobody.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

/** By first letter: servers, leaves, spines, PDUs, and what passes signals from a trunk R to its fronts F1 and F2. */
const KINDS: Readonly<Record<string, DeviceKind>> = {
  ...{ H: "SERVER", A: "SWITCH", B: "SWITCH", C: "SWITCH", S: "SWITCH", P: "RACK_PDU" },
  ...{ Z: "PATCH_PANEL", O: "OTHER", K: "CHASSIS" },
};

/** A device as written in a site: its code, the PDU that feeds it, and its status, as in A@P=FAILED. */
function deviceOf(text: string): Device {
  const [, code = "", fed, status] = /^(\w+)(?:@(\w+))?(?:=(\w+))?$/.exec(text) ?? [];
  const letter = code.charAt(0);
  const kind = KINDS[letter] as DeviceKind;
  const network = Array.from({ length: 9 }, (_, at): Port => ({ name: `e${at + 1}`, kind: "NETWORK" }));
  const inlet: Port = { name: "psu", kind: "POWER_IN", powerIn: { sourceRef: `device:${fed}` } };
  const ports = "ZOK".includes(letter) ? (panel(code, 2).ports ?? []) : letter === "P" ? [] : network;
  const role = letter === "S" ? "spine" : "leaf";
  return {
    ...{
      code,
      kind,
      status: (status ?? "ACTIVE") as DeviceStatus,
      ports: fed === undefined ? ports : [...ports, inlet],
    },
    ...(kind === "SWITCH" && { role }),
  };
}

/**
 * Serves a site in words: devices; cables as in H-A and Z.R-B=PLANNED, from the next port unless one is named; fabric links
 * as in A^S1=DOWN with a cable, and as in A.e9~S1.e9 without one.
 */
async function serviceOf(site: string, more: readonly Device[] = []) {
  const words = site.split(" ");
  const used = new Map<string, number>();
  const portOf = (end: string) => {
    const [code = "", port] = end.split(".");
    if (port === undefined) used.set(code, (used.get(code) ?? 0) + 1);
    return `${code}/${port ?? `e${used.get(code)}`}`;
  };
  const joins = words.flatMap((word) => {
    const [, one = "", mark = "", other = "", status] = /^([\w.]+)([-^~])([\w.]+)(?:=(\w+))?$/.exec(word) ?? [];
    return mark === "" ? [] : [{ mark, status, ends: [portOf(one), portOf(other)] as const }];
  });
  const store = openMemory();
  await storeWorld(store, {
    devices: [...words.filter((word) => !/[-^~]/.test(word)).map(deviceOf), ...more],
    joined: joins
      .filter(({ mark }) => mark !== "~")
      .map(({ ends, mark, status }) => [...ends, mark === "-" ? (status as Cable["status"]) : undefined] as const),
  });
  const links = joins
    .filter(({ mark }) => mark !== "-")
    .map(
      ({ ends: [a, b], status = "UP" }): FabricLink => ({
        a: portAt(a),
        b: portAt(b),
        capacityMbps: 1000,
        status: status as LinkStatus,
      }),
    );
  await store.write((writer) => putAll(writer, "fabric_link", links));
  return testService({ store });
}

/** Each with the codes of the devices that lose their last data path by what fails. */
const SITUATIONS: readonly (readonly [says: string, site: string, fails: string, lost: string])[] = [
  // What takes the last way.
  ...["FAILED", "OFFLINE", "PLANNED", "STAGED", "INVENTORY"].map(
    (status) => [`the other switch is ${status}`, `H A B=${status} H-A H-B`, "A", "H"] as const,
  ),
  ["the other switch is dark", "H A B@P P=FAILED H-A H-B", "A", "H"],
  ["the only switch", "H A H-A", "A", "H"],
  ["the way to the other switch leads through a failed panel", "H A B Z=FAILED H-A H-Z.F1 Z.R-B", "A", "H"],
  [
    "the way to the other switch leads over a planned cable behind a panel",
    "H A B Z H-A H-Z.F1 Z.R-B=PLANNED",
    "A",
    "H",
  ],
  ["a cable behind a panel is on its way out", "H A B Z H-A H-Z.F1 Z.R-B=DECOMMISSIONING", "A", "H"],
  ["the other switch has lost its uplink before", "H A B S1 S2=FAILED H-A H-B A^S1 B^S2", "A", "H"],
  [
    "the other uplink is recorded as down, and the spine of the first fails",
    "H A B S1 S2 H-A H-B A^S1 B^S2=DOWN",
    "S1",
    "H",
  ],
  ["one of two servers has another switch that works", "H H2 A B=FAILED C H-A H-B H2-A H2-B H2-C", "A", "H"],
  // Uplinks through what is out of service.
  ...["FAILED", "OFFLINE", "PLANNED", "STAGED", "INVENTORY"].map(
    (status) =>
      [`the other uplink leads through a panel that is ${status}`, uplinkThrough(`Z=${status}`), "S1", "H"] as const,
  ),
  ["the other uplink leads through another device out of service", uplinkThrough("O=FAILED"), "S1", "H"],
  ["the other uplink leads through a chassis out of service", uplinkThrough("K=PLANNED"), "S1", "H"],
  [
    "the second panel is out of service",
    "H A S1 S2 Z Z2=FAILED H-A A^S1 A.e9-Z.F1 Z.R-Z2.R Z2.F1-S2.e9 A.e9~S2.e9",
    "S1",
    "H",
  ],
  ["the panel of the only uplink fails", "H A S2 Z H-A A.e9-Z.F1 Z.R-S2.e9 A.e9~S2.e9", "Z", "H"],
  ["the panel of the only way fails, which has no power", "H B Z@P P=FAILED H-Z.F1 Z.R-B", "Z", "H"],
  // What must stay silent.
  ["no cables at all", "H A B", "A", ""],
  ["both switches on", "H A B H-A H-B", "A", ""],
  ["the other switch is on its way out, but on", "H A B=DECOMMISSIONING H-A H-B", "A", ""],
  ["a planned server", "H=PLANNED A B=FAILED H-A H-B", "A", ""],
  ["nothing reached the server before, and a switch that is off fails again", "H A=FAILED B=FAILED H-A H-B", "A", ""],
  ["both switches had lost their uplinks before", "H A B S1=FAILED S2=FAILED H-A H-B A^S1 B^S2", "A", ""],
  ["a switch whose only link is planned works", "H A B S1 S2=FAILED H-A H-B A^S1 B^S2=PLANNED", "A", ""],
  ["a switch without links fails beside a failed one", "H A B=FAILED C H-C", "A", ""],
  ["a spine without anything below it fails", "H A B S1 S2=FAILED H-A H-B", "S1", ""],
  ["the other uplink leads through a panel in service", uplinkThrough("Z"), "S1", ""],
  ["the other uplink leads through a panel on its way out", uplinkThrough("Z=DECOMMISSIONING"), "S1", ""],
  ["the panel of the other uplink has no power", uplinkThrough("Z@P P=FAILED"), "S1", ""],
  ["the panel of the only uplink loses its power", "H A S2 Z@P P H-A A.e9-Z.F1 Z.R-S2.e9 A.e9~S2.e9", "P", ""],
  ["the panel before the other switch has no power", "H A B Z@P P=FAILED H-A H-Z.F1 Z.R-B", "A", ""],
  ["the panel of the only way loses its power", "H B Z@P P H-Z.F1 Z.R-B", "P", ""],
  ["a panel out of service that no way passes", `${uplinkThrough("Z")} Z2=FAILED A.e8-Z2.F1`, "S1", ""],
  ["the uplink through a panel out of service was down, and its spine fails", uplinkThrough("Z=FAILED"), "S2", ""],
];

/** A server at a leaf with an uplink to S1, and one to S2 through a device. */
function uplinkThrough(passed: string): string {
  const [code] = passed.split(/[@= ]/);
  return `H A S1 S2 ${passed} H-A A^S1 A.e9-${code}.F1 ${code}.R-S2.e9 A.e9~S2.e9`;
}

const TIMES = { starts_at: "2026-02-01T00:00:00Z", ends_at: "2026-02-01T01:00:00Z" };
const codesIn = (text: string) => text.split(" ").filter((code) => code !== "");
/** References as they are, and codes of devices. */
const refsIn = (text: string) => codesIn(text).map((word) => (word.includes(":") ? word : `device:${word}`));

test.each(SITUATIONS)("a failure takes a device's last data path, or not: %s", async (_, site, fails, lost) => {
  const service = await serviceOf(site);
  const blast = await service.call("PowerBlastRadius", { source_ref: `device:${fails}` });
  const { reasons = [] } = await service.call("CheckWindow", { element_refs: [`device:${fails}`], ...TIMES });
  const kinds = ["SWITCH", "PANEL", "POWER"].map((kind) => `FAILURE_KIND_${kind}`);
  const { causes = [] } = await service.call("RehearseFailures", { kinds });
  const rows: readonly Json[] = causes.flatMap(({ elements }: Json) => elements);
  expect({
    blast: blast.devices_without_data_path ?? [],
    window: reasons.flatMap(({ kind, ref }: Json) =>
      kind === "WINDOW_REASON_KIND_DATA_PATH_LOST" ? [ref.slice("device:".length)] : [],
    ),
    rehearsal: rows.find(({ refs }) => refs[0] === `device:${fails}`)?.devices_without_data_path_count ?? 0,
  }).toEqual({ blast: codesIn(lost), window: codesIn(lost), rehearsal: codesIn(lost).length });
});

test.each([
  ["Z", "", ""],
  ["Z=DECOMMISSIONING", "", ""],
  ["Z@P P=FAILED", "", ""],
  ["Z=FAILED", "DOWN", 'The link carries no traffic: "Z" is not in service'],
  ["O=OFFLINE", "DOWN", 'The link carries no traffic: "O" is not in service'],
  // What is not installed yet is no fault.
  ["Z=PLANNED", "DOWN", ""],
])("a link through %s is listed as it works", async (passed, state, message) => {
  const { call } = await serviceOf(uplinkThrough(passed));
  const { findings = [] } = await call("FabricTopology", {});
  const { rows } = await call("ListInventory", { kind: "INVENTORY_KIND_FABRIC_LINK" });
  expect([
    rows
      .filter(({ texts }: Json) => texts.traffic === "DOWN")
      .map(({ texts }: Json) => texts.traffic)
      .join(),
    findings
      .filter(({ code }: Json) => code === "LINK_DOWN")
      .map((one: Json) => one.message)
      .join(),
  ]).toEqual([state, message]);
});

/** A window, and the hosts that one more failure then takes by what fails. */
const FURTHER: readonly (readonly [says: string, site: string, window: string, further: string])[] = [
  // One more failure takes the last way.
  ["one switch of a pair", "H A B H-A H-B", "A", "B>H"],
  ["a port of the server", "H A B H-A H-B", "port:H/e1", "B>H"],
  ["a cable", "H A B H-A H-B", "cable:H/e1~A/e1", "B>H"],
  ["the panel before a switch", "H A B Z H-A H-Z.F1 Z.R-B", "Z", "A>H"],
  ["a trunk", "H A B Z H-A H-Z.F1 Z.R-B", "port:Z/R", "A>H"],
  ["the spine of one switch: the other spine and switch", "H A B S1 S2 H-A H-B A^S1 B^S2", "S1", "B>H S2>H"],
  ["an uplink", "H A B S1 S2 H-A H-B A.e4-S1.e1 A.e4~S1.e1 B^S2", "fabric_link:A/e4~S1/e1", "B>H S2>H"],
  ["the panel of an uplink", `H B H-B B^S1 ${uplinkThrough("Z").replace("A^S1 ", "")}`, "Z", "B>H S1>H"],
  ["the PDU of one switch: that of the other", "H A@P B@P2 P P2 H-A H-B", "P", "B>H P2>H"],
  [
    "a port, and a server that the supply of the other switch takes alone",
    "H A@P B H2@P P H-A H-B",
    "H2 port:H/e2",
    "A>H P>H",
  ],
  [
    "a spine of two to both switches: the other spine takes both",
    "H A B S1 S2 H-A H-B A^S1 A^S2 B^S1 B^S2",
    "S1",
    "S2>H",
  ],
  // What must stay silent.
  ["a third switch", "H A B C H-A H-B H-C", "A", ""],
  ["both switches: the window takes it", "H A B H-A H-B", "A B", ""],
  ["the server itself", "H A B H-A H-B", "H A", ""],
  ["a server at one switch alone, which the failure takes without the window too", "H A B H-B", "A", ""],
  ["a planned server", "H=PLANNED A B H-A H-B", "A", ""],
  ["a switch whose server was not reached by it before", "H A=FAILED B H-A H-B", "A", ""],
  ["a switch without servers", "H A B H-A", "B", ""],
];

test.each(FURTHER)(
  "one more failure during a window takes a data path, or not: %s",
  async (_, site, window, further) => {
    const { call } = await serviceOf(site);
    const reply = await call("CheckWindow", { element_refs: refsIn(window), ...TIMES });
    const listed = (reply.next_failures ?? []).flatMap(({ ref, devices_without_data_path: codes = [] }: Json) =>
      codes.length > 0 ? [`${ref.slice("device:".length)}>${codes.join()}`] : [],
    );
    expect(listed.toSorted().join(" ")).toBe(further);
  },
);

/** Leaves A and B and spines S1 and S2, all fed by PDUs of their own: which of these are off, what fails, what that takes. */
const DARK: readonly (readonly [dark: string, failed: string, links: string, cutOff: string])[] = [
  ["", "S1", "A~S1 B~S1", ""],
  ["", "A", "A~S1 A~S2", ""],
  ["", "PS2", "A~S2 B~S2", ""],
  ["", "PB", "B~S1 B~S2", ""],
  ["S1", "S1", "", ""],
  ["A", "A", "", ""],
  ["S1", "A", "A~S2", ""],
  ["S1", "S2", "A~S2 B~S2", "A B"],
  ["A", "S1", "B~S1", ""],
  ["A S1", "S2", "B~S2", "B"],
  ["A B", "S1", "", ""],
  ["S1 S2", "A", "", ""],
  ["S1 S2", "PB", "", ""],
  ["S1 A", "PS1", "", ""],
];

test.each(DARK)(
  "a failure takes only links that carried traffic, dark before: %p, failed: %p",
  async (dark, failed, links, cutOff) => {
    const switches = ["S1", "S2", "A", "B"].map(
      (code) => `${code}@P${code} P${code}${dark.split(" ").includes(code) ? "=OFFLINE" : ""}`,
    );
    const { call } = await serviceOf(`${switches.join(" ")} A^S1 A^S2 B^S1 B^S2`);
    const reply = await call("PowerBlastRadius", { source_ref: `device:${failed}` });
    const pairs = (reply.fabric_links_down ?? []).map((ref: string) => ref.replaceAll(/fabric_link:|\/[^~]*/g, ""));
    expect([pairs.join(" "), (reply.switches_cut_off ?? []).join(" ")]).toEqual([links, cutOff]);
    expect(reply.fabric_lost_mbps ?? 0).toBe(1000 * pairs.length);
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
  const { call } = await serviceOf("H A B Z H-Z.F1 Z.R-X.F1 X.R1-A.e1 X.R2-B.e1", [device]);
  const isolated = async () => {
    const { causes = [] } = await call("RehearseFailures", { kinds: ["FAILURE_KIND_SWITCH"] });
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
  await call("UpsertDevice", { device: { code: "X", name: "Other", ports }, update_mask: "name,ports" });
  expect(await isolated()).toEqual([byA, byB]);
});
