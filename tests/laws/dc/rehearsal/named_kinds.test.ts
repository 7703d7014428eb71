import { expect, test } from "bun:test";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { formatCableRef, formatEdgeKey, formatFabricLinkRef, formatPortReference } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import { ams1Inventory, ams1Store } from "../../../support/dc/ams1_inventory.ts";
import { openMemory } from "../../../support/dc/memory/store.ts";
import { type Networked, networked } from "../../../support/dc/networked.ts";
import { drawnInventory } from "../../../support/dc/power_model/inventory.ts";
import { putAll } from "../../../support/dc/stored.ts";
import { WalkedSite } from "../../../support/dc/walked_site.ts";
import { LAW_INVENTORIES } from "../../../support/law_inventories.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

// Switches, supplies, inlets, panels, cables, links and places do in a rehearsal what PowerBlastRadius says about each of them,
// and what a plain model of the network says. What CheckWindow says of switches is the same.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

const ALL = 1000;
/** Elements of a kind of the sample site that are asked about one by one. */
const ASKED_OF_AMS1 = Number(process.env["PLANNER_LAW_ASKED"] ?? 2);
const INVENTORIES = Math.ceil(LAW_INVENTORIES / 4);

/** Kinds of failing devices that are named for their power or their links. */
const DEVICE_KINDS: ReadonlySet<string> = new Set(["SWITCH", "POWER"]);

/** Everything of a kind that can fail, read from the inventory as it is written. */
function everything({
  racks,
  devices,
  cracs,
  cables,
  fabricLinks,
}: Inventory): Readonly<Record<string, readonly string[]>> {
  const isPower = new Set(
    devices.flatMap(({ code, ports = [] }) =>
      ports.flatMap(({ name, kind }) => (kind === "POWER_IN" || kind === "POWER_OUT" ? [`${code}/${name}`] : [])),
    ),
  );
  const locations = [...racks, ...devices, ...cracs].flatMap(({ location }) => location ?? []);
  const places = (kind: string, nameOf: (location: (typeof locations)[number]) => string | undefined) => [
    ...new Set(
      locations.flatMap((location) => {
        const name = nameOf(location);
        return name === undefined ? [] : [`${kind}:${location.siteId}/${location.floorNumber}/${name}`];
      }),
    ),
  ];
  const isData = ({ a, b }: Inventory["cables"][number]) =>
    ![a, b].some(({ deviceCode, portName }) => isPower.has(`${deviceCode}/${portName}`));
  const cabled = new Set(
    cables.flatMap(({ a, b }) => [a, b].map(({ deviceCode, portName }) => `${deviceCode}/${portName}`)),
  );
  return {
    // Of an inlet without a recorded source it is unknown what it carries.
    INLET: devices.flatMap(({ code, ports = [] }) =>
      ports.flatMap(({ name, kind, powerIn }) =>
        kind === "POWER_IN" && (powerIn?.sourceRef !== undefined || cabled.has(`${code}/${name}`))
          ? [formatPortReference({ deviceCode: code, portName: name })]
          : [],
      ),
    ),
    SWITCH: devices.filter(({ kind }) => kind === "SWITCH").map(({ code }) => `device:${code}`),
    POWER: devices.filter(({ kind }) => isPowerKind(kind)).map(({ code }) => `device:${code}`),
    PANEL: devices.filter(({ kind }) => kind === "PATCH_PANEL").map(({ code }) => `device:${code}`),
    CABLE: cables.filter(isData).map(({ a, b }) => formatCableRef(a, b)),
    LINK: fabricLinks.map(({ a, b }) => formatFabricLinkRef(a, b)),
    RACK: racks.map(({ code }) => `rack:${code}`),
    ROW: places("row", ({ row }) => row),
    ROOM: places("room", ({ room }) => room),
    ZONE: places("zone", ({ zoneId }) => zoneId),
  };
}

/** All causes of elements of a kind. */
async function causesOf(site: WalkedSite, kinds: readonly string[]) {
  const causes: Json[] = [];
  let token = "";
  let reply: Json;
  do {
    reply = await site.call("RehearseFailures", {
      kinds: kinds.map((kind) => `FAILURE_KIND_${kind}`),
      cascade: true,
      page_size: ALL,
      max_elements: ALL,
      page_token: token,
    });
    causes.push(...(reply.causes ?? []));
    token = reply.next_page_token ?? "";
  } while (token !== "");
  return { causes, failed: reply.elements_failed ?? 0, harmless: reply.harmless ?? 0 };
}

function blast(site: WalkedSite, ref: string): Promise<Json> {
  return site.call("PowerBlastRadius", { source_ref: ref, cascade: true, include_protected: true, max_items: 10_000 });
}

/** Whether a failure does anything that a rehearsal counts. */
function isLoss({
  impact = {},
  overloads = [],
  cascade_steps = [],
  zones = [],
  fabric_links_down = [],
  ...rest
}: Json): boolean {
  const { it_devices_offline = 0, racks_dark = 0, racks_partial = 0, devices_degraded = 0, cracs_offline = 0 } = impact;
  const counts = it_devices_offline + racks_dark + racks_partial + devices_degraded + cracs_offline;
  const network = fabric_links_down.length + (rest.devices_without_data_path ?? []).length;
  return counts + overloads.length + cascade_steps.length + zones.length + network > 0;
}

/** Every element of a kind does what it does alone, and none that does something is left out. */
async function kindAgrees(site: WalkedSite, kind: string, refs: readonly string[], asked: number): Promise<number> {
  const { causes, failed, harmless } = await causesOf(site, [kind]);
  const rows = new Map<string, Json>(causes.flatMap(({ elements }) => elements.map((one: Json) => [one.refs[0], one])));
  const named = new Set([
    ...rows.keys(),
    ...causes.flatMap(({ also_by = [], partly_by = [] }) => [...also_by, ...partly_by]),
  ]);
  const say = `${site.name}, ${kind}`;
  const isCut = causes.some(({ omitted_elements = 0 }) => omitted_elements > 0);
  if (!isCut) expect([say, failed]).toEqual([say, named.size + harmless]);
  const step = Math.max(1, Math.floor(refs.length / asked));
  let compared = 0;
  const live = new Set(
    [...(await site.found({ supply_states: ["SUPPLY_STATE_LIVE", "SUPPLY_STATE_UNDOCUMENTED"] }))].map(
      (code) => `device:${code}`,
    ),
  );
  for (const ref of refs.filter((_, at) => at % step === 0)) {
    const reply = await blast(site, ref);
    const says = `${site.name}, ${ref}`;
    const row = rows.get(ref);
    // A device that is off already is not failed again.
    if (DEVICE_KINDS.has(kind) && !live.has(ref)) continue;
    if (row === undefined) {
      expect([says, isCut || named.has(ref) || !isLoss(reply)]).toEqual([says, true]);
      continue;
    }
    compared += 1;
    expect([says, row.impact]).toEqual([says, reply.impact]);
    expect([says, row.fabric_lost_mbps ?? 0]).toEqual([says, reply.fabric_lost_mbps ?? 0]);
    expect([says, row.devices_without_data_path_count ?? 0]).toEqual([
      says,
      (reply.devices_without_data_path ?? []).length,
    ]);
    const trips = (reply.cascade_steps ?? []).flatMap(({ tripped_refs }: Json) => tripped_refs);
    expect([says, row.tripped_refs ?? []]).toEqual([says, trips]);
  }
  return compared;
}

interface Failed {
  readonly ref: string;
  readonly isDead: (code: string) => boolean;
}

/**
 * What a failure does to a network, by its routes alone: what worked before it and does not work after it.
 * @param isOn whether a device is in service and has power before the failure
 */
function plainNetwork(
  { routes, switches, inventory }: Networked,
  { ref, isDead }: Failed,
  isOn: (code: string) => boolean,
) {
  const [kind = "", text = ""] = [ref.slice(0, ref.indexOf(":")), ref.slice(ref.indexOf(":") + 1)];
  const inside = new Set(inventory.devices.filter((device) => isIn(device, kind, text)).map(({ code }) => code));
  const cable = kind === "cable" ? inventory.cables.find(({ a, b }) => formatCableRef(a, b) === ref) : undefined;
  const failedCable = cable && formatEdgeKey(cable.a, cable.b);
  const staysOn = (code: string) => isOn(code) && !inside.has(code) && !isDead(code);
  const isBroken = (route: Networked["routes"][number]) =>
    route.panels.some((code) => !staysOn(code)) || route.cables.some((key) => key === failedCable);
  const links = routes.filter(({ isLink }) => isLink);
  const before = links.filter(({ a, b }) => isOn(a.deviceCode) && isOn(b.deviceCode));
  const after = before.filter(
    (route) =>
      !isBroken(route) &&
      formatFabricLinkRef(route.a, route.b) !== ref &&
      staysOn(route.a.deviceCode) &&
      staysOn(route.b.deviceCode),
  );
  const isUplinkOf = (leaf: string) => (route: Networked["routes"][number]) => route.a.deviceCode === leaf;
  const isLinked = (code: string, working: Networked["routes"]) =>
    !links.some(isUplinkOf(code)) || working.some(isUplinkOf(code));
  const hosts = new Set(routes.filter(({ isLink }) => !isLink).map(({ a }) => a.deviceCode));
  const isolated = [...hosts].filter((host) => {
    const all = routes.filter(({ a, isLink }) => a.deviceCode === host && !isLink);
    const fabric = all.filter(({ b }) => switches.has(b.deviceCode));
    // Leaves and spines without any link are switches too, if the host is at no other.
    const own = fabric.length > 0 ? fabric : all;
    const reached = own.filter(({ b }) => isOn(b.deviceCode) && isLinked(b.deviceCode, before));
    if (switches.has(host) || !staysOn(host) || reached.length === 0) return false;
    return !reached.some(
      (route) => !isBroken(route) && staysOn(route.b.deviceCode) && isLinked(route.b.deviceCode, after),
    );
  });
  return {
    down: before
      .filter((route) => !after.includes(route))
      .map(({ a, b }) => formatFabricLinkRef(a, b))
      .sort(),
    cutOff: [...new Set(links.map(({ a }) => a.deviceCode))]
      .filter((leaf) => staysOn(leaf) && isLinked(leaf, before) && !isLinked(leaf, after))
      .sort(),
    isolated: isolated.sort(),
    /** How many of these have another switch that was off before. */
    otherOff: isolated.filter((host) => routes.some(({ a, b }) => a.deviceCode === host && !isOn(b.deviceCode))).length,
  };
}

function isIn({ code, rackCode, location }: Device, kind: string, text: string): boolean {
  if (kind === "device") return code === text;
  if (kind === "rack") return rackCode === text;
  const name = { row: location?.row, room: location?.room, zone: location?.zoneId }[kind];
  return name !== undefined && `${location?.siteId}/${location?.floorNumber}/${name}` === text;
}

async function networkAgrees(site: WalkedSite, network: Networked, refs: readonly string[]) {
  const dark = await site.found({ supply_states: ["SUPPLY_STATE_NO_LIVE_SUPPLY"] });
  const statuses = new Map(network.inventory.devices.map(({ code, status = "ACTIVE" }) => [code, status]));
  const isOn = (code: string) => !dark.has(code) && ["ACTIVE", "DECOMMISSIONING"].includes(statuses.get(code) ?? "");
  let [losses, otherOff] = [0, 0];
  for (const ref of refs) {
    const reply = await blast(site, ref);
    const dead = new Set(
      (reply.affected ?? []).flatMap(({ code, state }: Json) => (state === "IMPACT_STATE_OFFLINE" ? [code] : [])),
    );
    const plain = plainNetwork(network, { ref, isDead: (code) => dead.has(code) }, isOn);
    const say = `${site.name}, ${ref}`;
    expect([say, reply.fabric_links_down ?? []]).toEqual([say, plain.down]);
    expect([say, reply.switches_cut_off ?? []]).toEqual([say, plain.cutOff]);
    expect([say, reply.devices_without_data_path ?? []]).toEqual([say, plain.isolated]);
    if (ref.startsWith("device:")) expect([say, await windowIsolates(site, ref)]).toEqual([say, plain.isolated]);
    losses += plain.isolated.length;
    otherOff += plain.otherOff;
  }
  return { losses, otherOff };
}

/** Codes of the devices that a window of an element leaves without a data path. */
async function windowIsolates(site: WalkedSite, ref: string): Promise<readonly string[]> {
  const times = { starts_at: "2026-02-01T00:00:00Z", ends_at: "2026-02-01T01:00:00Z" };
  const reply = await site.call("CheckWindow", { element_refs: [ref], ...times, max_items: ALL });
  const reasons: readonly Json[] = reply.reasons ?? [];
  return reasons
    .filter(({ kind }) => kind === "WINDOW_REASON_KIND_DATA_PATH_LOST")
    .map((reason) => reason.ref.slice("device:".length))
    .sort();
}

test("every inlet, panel, cable, link and place of generated sites does what it does alone, and what a plain network does", async () => {
  let [compared, isolated, otherOff] = [0, 0, 0];
  for (let seed = 0; seed < INVENTORIES; seed += 1) {
    const network = networked(drawnInventory(seed), new SeededRandom(seed));
    const site = await WalkedSite.of(`inventory ${seed}`, await stored(network.inventory));
    const all = everything(network.inventory);
    for (const [kind, refs] of Object.entries(all)) compared += await kindAgrees(site, kind, refs, refs.length);
    const found = await networkAgrees(site, network, Object.values(all).flat());
    isolated += found.losses;
    otherOff += found.otherOff;
  }
  expect(compared).toBeGreaterThan(20 * INVENTORIES);
  expect(isolated).toBeGreaterThan(INVENTORIES);
  expect(otherOff).toBeGreaterThan(INVENTORIES);
}, 600_000);

test("inlets, panels, cables, links and places of AMS1 do what they do alone", async () => {
  const site = await WalkedSite.of("AMS1", await ams1Store());
  let compared = 0;
  for (const [kind, refs] of Object.entries(everything(await ams1Inventory())))
    compared += await kindAgrees(site, kind, refs, ASKED_OF_AMS1);
  expect(compared).toBeGreaterThan(3 * ASKED_OF_AMS1);
}, 600_000);

test("kinds that are named together do what each does alone", async () => {
  const usual = ["POWER", "OUTLET", "COOLING", "SWITCH"];
  for (let seed = 0; seed < INVENTORIES / 2; seed += 1) {
    const { inventory } = networked(drawnInventory(seed), new SeededRandom(seed));
    const site = await WalkedSite.of(`inventory ${seed}`, await stored(inventory));
    const kinds = [...usual, ...Object.keys(everything(inventory))];
    const { causes, failed, harmless } = await causesOf(site, kinds);
    const lists = causes.flatMap(({ elements, also_by = [], partly_by = [] }) => [
      ...elements.map(({ refs }: Json) => refs[0]),
      ...also_by,
      ...partly_by,
    ]);
    const say = site.name;
    expect([say, failed]).toEqual([say, new Set(lists).size + harmless]);
    for (const { refs, impact } of causes.flatMap(({ elements }) => elements)) {
      // The failed cooling unit counts in a rehearsal as in a failure.
      expect([say, refs, impact]).toEqual([say, refs, (await blast(site, refs[0])).impact]);
    }
  }
}, 600_000);

async function stored(inventory: Inventory) {
  const store = openMemory();
  await store.write(async (writer) => {
    await putAll(writer, "rack", inventory.racks);
    await putAll(writer, "device", inventory.devices);
    await putAll(writer, "crac", inventory.cracs);
    await putAll(writer, "cable", inventory.cables);
    await putAll(writer, "fabric_link", inventory.fabricLinks);
  });
  return store;
}
