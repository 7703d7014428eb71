import { expect, test } from "bun:test";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { formatCableRef, formatEdgeKey, formatFabricLinkRef, formatPortReference } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import type { DcStore } from "#dc/ports.ts";
import { describeWorstFailure } from "#web/console/overview/rehearsal.ts";
import { sampleSite, storedInventory } from "../../support/dc/agreeing_sites.ts";
import { ams1Store, storeOf } from "../../support/dc/ams1_inventory.ts";
import { Belongings, lostRefs, namedLosses } from "../../support/dc/losses.ts";
import { type Networked, networked } from "../../support/dc/networked.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { WalkedSite } from "../../support/dc/walked_site.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// What a failure takes is one judgement: the what-if (PowerBlastRadius), rehearsal, overview, windows and a plain model of the
// network say the same devices of every element.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

const ALL = 1000;
/** Elements of a kind of a sample site that are asked about one by one; of generated inventories all are. */
const ASKED_OF_A_SAMPLE = Number(process.env["PLANNER_LAW_ASKED"] ?? 2);
/** A larger sample site as well, if it has racks. */
const RACKS = Number(process.env["PLANNER_LAW_RACKS"] ?? 0);
const INVENTORIES = Math.ceil(LAW_INVENTORIES / 4);
/** Elements of kinds beside the usual ones that a request may fail: of a kind with more, each rack is asked by itself. */
const MOST_ELEMENTS = 20_000;

/** Kinds of failing devices that are named for their power or their links. */
const DEVICE_KINDS: ReadonlySet<string> = new Set(["SWITCH", "POWER"]);
const USUAL_KINDS: ReadonlySet<string> = new Set(["POWER", "OUTLET", "COOLING", "SWITCH"]);

interface Asked {
  readonly site: WalkedSite;
  readonly own: Belongings;
  /** Codes of devices with power, or without a recorded supply. */
  readonly live: ReadonlySet<string>;
  /** Whether a device is in service and has power. */
  readonly isOn: (code: string) => boolean;
  readonly network: Networked | undefined;
}

async function askedOf(name: string, store: DcStore, network?: Networked): Promise<Asked> {
  const site = await WalkedSite.of(name, store);
  const dark = await site.found({ supply_states: ["SUPPLY_STATE_NO_LIVE_SUPPLY"] });
  const statuses = new Map(site.inventory.devices.map(({ code, status = "ACTIVE" }) => [code, status]));
  return {
    site,
    own: await Belongings.of(site),
    live: await site.found({ supply_states: ["SUPPLY_STATE_LIVE", "SUPPLY_STATE_UNDOCUMENTED"] }),
    isOn: (code) => !dark.has(code) && ["ACTIVE", "DECOMMISSIONING"].includes(statuses.get(code) ?? ""),
    network,
  };
}

async function generated(seed: number): Promise<Asked> {
  const network = networked(drawnInventory(seed), new SeededRandom(seed));
  return askedOf(`inventory ${seed}`, await storedInventory(network.inventory), network);
}

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
    OUTLET: devices.flatMap(({ code: deviceCode, ports = [] }) =>
      ports.flatMap(({ name: portName, kind, powerOut: { feedId } = {} }) =>
        kind === "POWER_OUT"
          ? [feedId === undefined ? formatPortReference({ deviceCode, portName }) : `feed:${feedId}`]
          : [],
      ),
    ),
    COOLING: cracs.map(({ code }) => `crac:${code}`),
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

/** What a rehearsal says of the elements of kinds. */
interface Rehearsed {
  readonly causes: readonly Json[];
  readonly rows: ReadonlyMap<string, Json>;
  /** Causes by the elements that they name. */
  readonly naming: ReadonlyMap<string, readonly Json[]>;
  readonly isCut: boolean;
}

async function rehearse(site: WalkedSite, kinds: readonly string[], scope_ref = ""): Promise<Rehearsed> {
  const causes: Json[] = [];
  let token = "";
  let reply: Json;
  do {
    reply = await site.call("RehearseFailures", {
      kinds: kinds.map((kind) => `FAILURE_KIND_${kind}`),
      scope_ref,
      cascade: true,
      page_size: ALL,
      max_elements: ALL,
      page_token: token,
    });
    causes.push(...(reply.causes ?? []));
    token = reply.next_page_token ?? "";
  } while (token !== "");
  const naming = new Map<string, Json[]>();
  for (const cause of causes) {
    const refs = cause.elements.map((one: Json) => one.refs[0]);
    for (const ref of [...refs, ...(cause.also_by ?? []), ...(cause.partly_by ?? [])])
      naming.getOrInsert(ref, []).push(cause);
  }
  const rows = causes.flatMap(({ elements }) => elements.map((one: Json) => [one.refs[0], one] as const));
  const isCut = causes.some((cause) => CUT.some((name) => (cause[name] ?? 0) > 0));
  const say = `${site.name}, ${kinds.join(" ")} ${scope_ref}`;
  const { elements_failed = 0, harmless = 0 } = reply;
  if (!isCut) expect([say, elements_failed]).toEqual([say, naming.size + harmless]);
  return { causes, rows: new Map(rows), naming, isCut };
}

const CUT = ["omitted_elements", "omitted_also_by", "omitted_partly_by"];

function blast(site: WalkedSite, ref: string, additional_source_refs: readonly string[] = []): Promise<Json> {
  return site.call("PowerBlastRadius", {
    source_ref: ref,
    additional_source_refs: [...additional_source_refs],
    cascade: true,
    include_protected: true,
    max_items: 10_000,
  });
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

/** Compares what all that judge them say of at most so many elements of each kind. Returns counts of what was compared. */
async function judgementsAgree(asked: Asked, most: number) {
  const { site } = asked;
  const tried = new Map<string, Json>();
  let [elements, rows, isolated, otherOff] = [0, 0, 0, 0];
  for (const [kind, refs] of Object.entries(everything(site.inventory))) {
    const rehearsalFor = await rehearseKind(asked, kind, refs);
    const step = Math.max(1, Math.floor(refs.length / most));
    for (const ref of refs.filter((_, at) => at % step === 0)) {
      const reply = await blast(site, ref);
      const lost = networkAgrees(asked, ref, reply);
      isolated += lost.isolated;
      otherOff += lost.otherOff;
      await windowAgrees(asked, ref, reply);
      elements += 1;
      if (isOffAlready(asked, kind, ref)) continue;
      if (USUAL_KINDS.has(kind)) tried.set(ref, reply);
      rows += rehearsalAgrees(asked, await rehearsalFor(ref), ref, reply);
    }
  }
  await overviewAgrees(asked, tried);
  process.stdout.write(`${site.name}: ${elements} elements, ${rows} with a row in a rehearsal\n`);
  return { rows, isolated, otherOff };
}

/** Rehearses a kind at once, or only the racks of elements that are asked about if it has too many. */
async function rehearseKind({ site, own }: Asked, kind: string, refs: readonly string[]) {
  if (refs.length <= MOST_ELEMENTS || USUAL_KINDS.has(kind)) {
    const whole = await rehearse(site, [kind]);
    return async () => whole;
  }
  return async (ref: string) => {
    const [, code = ""] = /:([^/]+)/.exec(ref) ?? [];
    const rack = own.devices.get(code)?.rackCode;
    return rack === undefined ? undefined : rehearse(site, [kind], `rack:${rack}`);
  };
}

/** Whether an element is a device that is off, and so does not fail again. */
function isOffAlready({ live }: Asked, kind: string, ref: string): boolean {
  return DEVICE_KINDS.has(kind) && !live.has(ref.slice("device:".length));
}

/**
 * A row has the figures of the failure. The devices that it takes are listed by a cause that names the element or something
 * that goes off with it, or that is a part of its loss.
 */
function rehearsalAgrees({ site, own }: Asked, rehearsed: Rehearsed | undefined, ref: string, reply: Json): number {
  if (rehearsed === undefined) return 0;
  const { causes, rows, naming, isCut } = rehearsed;
  const says = `${site.name}, ${ref}`;
  const named = naming.get(ref) ?? [];
  expect([says, isCut || named.length > 0 || !isLoss(reply)]).toEqual([says, true]);
  const { lost, isolated, racks, cracs, gone } = own.harmOf(reply);
  const off = new Set([...gone, ...isolated]);
  const isWithin = ({ refs: [smaller] }: Json) => {
    const [, name = "", code = ""] = /^\w+:(([^/]+).*)$/.exec(smaller) ?? [];
    return off.has(name) || off.has(code);
  };
  const isPart = (one: Json) => LISTS.every((name) => (one[name] ?? []).every((code: string) => off.has(code)));
  const listing = new Set([...named, ...causes.filter((one) => one.elements.some(isWithin) || isPart(one))]);
  const taken = { devices_lost: lost, devices_without_data_path: isolated, racks_dark: racks, cracs_lost: cracs };
  const isFull = (cause: Json) => Object.keys(taken).some((name) => (cause[name] ?? []).length >= ALL);
  const isWhole = !isCut && ![...listing].some(isFull);
  const listed = (name: string) => [...listing].flatMap((cause) => cause[name] ?? []);
  const missing = Object.entries(taken).map(([name, codes]) => codes.filter((code) => !listed(name).includes(code)));
  if (isWhole) expect([says, missing]).toEqual([says, [[], [], [], []]]);
  const isIncluded = ({ elements, also_by = [] }: Json) =>
    also_by.includes(ref) || (elements.length === 1 && elements[0].refs[0] === ref);
  const included = named.filter(isIncluded);
  const itself = ref.replace(/^device:/, "");
  // Devices that a smaller element cuts off from the network may go off with a larger one.
  const most = { ...taken, devices_lost: [...lost, itself], devices_without_data_path: [...isolated, ...lost] };
  for (const [name, codes] of Object.entries(most)) {
    const more = included.flatMap((cause) => cause[name] ?? []).filter((code: string) => !codes.includes(code));
    expect([says, name, more]).toEqual([says, name, []]);
  }
  const row = rows.get(ref);
  if (row === undefined) return 0;
  rowAgrees(says, row, reply);
  return 1;
}

const LISTS = ["devices_lost", "devices_without_data_path"];

/** The figures of one failure are those of PowerBlastRadius. */
function rowAgrees(says: string, row: Json, reply: Json): void {
  const trips = (reply.cascade_steps ?? []).flatMap(({ tripped_refs }: Json) => tripped_refs);
  const { impact, fabric_lost_mbps: lost = 0, devices_without_data_path_count: isolated = 0, tripped_refs = [] } = row;
  expect([says, impact, lost, isolated, tripped_refs]).toEqual([
    says,
    reply.impact,
    reply.fabric_lost_mbps ?? 0,
    (reply.devices_without_data_path ?? []).length,
    trips,
  ]);
}

/** A window of the element loses what its failure takes, less what the work covers. */
async function windowAgrees({ site, own }: Asked, ref: string, reply: Json): Promise<void> {
  const times = { starts_at: "2026-02-01T00:00:00Z", ends_at: "2026-02-01T01:00:00Z" };
  const window = await site.call("CheckWindow", { element_refs: [ref], ...times, max_items: ALL });
  const blades = own.bladesIn([ref]);
  const failure = blades.length === 0 ? reply : await blast(site, ref, blades);
  const lost = lostRefs(own.uncovered(own.harmOf(failure), own.coveredBy([ref])));
  const named = namedLosses(window);
  const says = `${site.name}, window of ${ref}`;
  if ((window.omitted_reasons ?? 0) === 0) expect([says, named]).toEqual([says, lost]);
  else expect([says, named.filter((one) => !lost.includes(one))]).toEqual([says, []]);
}

/** The first screen names the failure that takes most, with its figures. */
async function overviewAgrees({ site }: Asked, tried: ReadonlyMap<string, Json>): Promise<void> {
  const { worst } = await site.call("RehearseFailures", { cascade: true, page_size: 1 });
  const says = `${site.name}, worst of ${tried.size}`;
  const sizeOf = ({ impact = {}, devices_without_data_path = [] }: Json): readonly [number, number] => [
    (impact.it_devices_offline ?? 0) + devices_without_data_path.length,
    impact.racks_dark ?? 0,
  ];
  const reply = worst === undefined ? {} : await blast(site, worst.refs[0]);
  if (worst !== undefined) rowAgrees(says, worst, reply);
  const [devices, racks] = sizeOf(reply);
  const larger = [...tried].filter(([, other]) => {
    const [more, dark] = sizeOf(other);
    return more > devices || (more === devices && dark > racks) || (worst === undefined && isLoss(other));
  });
  expect([says, larger.map(([ref]) => ref)]).toEqual([says, []]);
  // JSON leaves out zeros.
  const told = worst && { devices_without_data_path_count: 0, ...worst };
  const [, sentence = ""] = describeWorstFailure(told).split(" would take ");
  const said = (words: RegExp) => Number(words.exec(sentence)?.[1]?.replaceAll(",", "") ?? 0);
  expect([says, said(/([\d,]+) devices?\b/), said(/([\d,]+) racks?\b/)]).toEqual([says, devices, racks]);
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
  // A panel out of service passes nothing; one without power passes all.
  const unused = new Set(inventory.devices.filter(({ status }) => status !== "ACTIVE").map(({ code }) => code));
  const isOpen = ({ panels }: Networked["routes"][number]) => !panels.some((code) => unused.has(code));
  const [kind = "", text = ""] = [ref.slice(0, ref.indexOf(":")), ref.slice(ref.indexOf(":") + 1)];
  const inside = new Set(inventory.devices.filter((device) => isIn(device, kind, text)).map(({ code }) => code));
  const cable = kind === "cable" ? inventory.cables.find(({ a, b }) => formatCableRef(a, b) === ref) : undefined;
  const failedCable = cable && formatEdgeKey(cable.a, cable.b);
  const staysOn = (code: string) => isOn(code) && !inside.has(code) && !isDead(code);
  const isBroken = (route: Networked["routes"][number]) =>
    route.panels.some((code) => inside.has(code)) || route.cables.some((key) => key === failedCable);
  const links = routes.filter(({ isLink }) => isLink);
  const before = links.filter((route) => isOpen(route) && isOn(route.a.deviceCode) && isOn(route.b.deviceCode));
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
    const reached = own.filter(
      (route) => isOpen(route) && isOn(route.b.deviceCode) && isLinked(route.b.deviceCode, before),
    );
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

const NOT_ISOLATED = { isolated: 0, otherOff: 0 };

/** Compares the losses of networks with the plain model. Returns the devices that it isolates, and those with a switch off before. */
function networkAgrees({ site, network, isOn }: Asked, ref: string, reply: Json): typeof NOT_ISOLATED {
  if (network === undefined) return NOT_ISOLATED;
  const dead = new Set(
    (reply.affected ?? []).flatMap(({ code, state }: Json) => (state === "IMPACT_STATE_OFFLINE" ? [code] : [])),
  );
  const { otherOff, ...plain } = plainNetwork(network, { ref, isDead: (code) => dead.has(code) }, isOn);
  const say = `${site.name}, ${ref}`;
  const {
    fabric_links_down: down = [],
    switches_cut_off: cutOff = [],
    devices_without_data_path: isolated = [],
  } = reply;
  expect([say, { down, cutOff, isolated }]).toEqual([say, plain]);
  return { isolated: isolated.length, otherOff };
}

test("one judgement of every element of generated sites", async () => {
  let [rows, isolated, otherOff] = [0, 0, 0];
  for (let seed = 0; seed < INVENTORIES; seed += 1) {
    const found = await judgementsAgree(await generated(seed), ALL);
    rows += found.rows;
    isolated += found.isolated;
    otherOff += found.otherOff;
  }
  expect(rows).toBeGreaterThan(20 * INVENTORIES);
  expect(isolated).toBeGreaterThan(INVENTORIES);
  expect(otherOff).toBeGreaterThan(INVENTORIES / 2);
}, 3_600_000);

test("one judgement of elements of AMS1", async () => {
  const { rows } = await judgementsAgree(await askedOf("AMS1", await ams1Store()), ASKED_OF_A_SAMPLE);
  expect(rows).toBeGreaterThan(3);
}, 3_600_000);

test.if(RACKS > 0)(
  "one judgement of elements of a larger sample site",
  async () => {
    const site = await askedOf(`${RACKS} racks`, await storeOf(sampleSite(RACKS)));
    const { rows } = await judgementsAgree(site, ASKED_OF_A_SAMPLE);
    expect(rows).toBeGreaterThan(3);
  },
  3_600_000,
);

test("kinds that are named together do what each does alone", async () => {
  for (let seed = 0; seed < INVENTORIES / 2; seed += 1) {
    const { site } = await generated(seed);
    const { causes } = await rehearse(site, Object.keys(everything(site.inventory)));
    for (const { refs, impact } of causes.flatMap(({ elements }) => elements))
      expect([site.name, refs, impact]).toEqual([site.name, refs, (await blast(site, refs[0])).impact]);
  }
}, 3_600_000);
