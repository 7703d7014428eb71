import { expect, test } from "bun:test";
import { Topology } from "#dc/analysis/topology.ts";
import { getResourceKey, orderCableEnds, toPortKey } from "#dc/model/ref.ts";
import type { Cable, Device, FabricLink, PortRef, ResourceKind } from "#dc/model/resources.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { readHostPaths } from "#dc/operations/answers/data_paths.ts";
import type { DcStore, DcWriter } from "#dc/ports.ts";
import { panel, portAt } from "../../support/dc/cabled_world.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { putAll } from "../../support/dc/stored.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// Data paths that follow changes of cables, links and devices are those that reading everything finds.

const STEPS = 8;
/** A hundred seeds from here include every kind of change that needs a rule of its own. */
const FIRST_SEED = 100;
const PORTS = [1, 2, 3, 4].map((number) => ({ name: `e${number}`, kind: "NETWORK" }) as const);
const device = (code: string, kind: Device["kind"]): Device => ({ code, kind, status: "ACTIVE", ports: PORTS });
const DEVICES: readonly Device[] = [
  ...["H1", "H2", "H3", "H4", "H5"].map((code) => device(code, "SERVER")),
  ...["S1", "S2", "S3", "S4"].map((code) => device(code, "SWITCH")),
  ...["P1", "P2", "P3"].map((code) => panel(code, 2)),
  // Devices of any kind may have front and rear ports.
  ...(["OTHER", "CHASSIS"] as const).map((kind) => ({ ...panel(kind, 2), kind })),
];

/** Few devices, most of which pass signals on, and a path through all of them. */
const FEW = DEVICES.filter(({ code }) => ["H1", "S1", "P1", "OTHER", "CHASSIS"].includes(code));
const CHAIN = ["H1/e1~P1/F1", "P1/R~OTHER/R", "OTHER/F1~CHASSIS/F1", "CHASSIS/R~S1/e1"].map((text): Cable => {
  const [one = "", other = ""] = text.split("~");
  const [a, b] = orderCableEnds(portAt(one), portAt(other));
  return { a, b, status: "CONNECTED" };
});

type Changed = Readonly<Record<ResourceKind, readonly string[]>>;
const NONE: Changed = { rack: [], device: [], crac: [], cable: [], fabric_link: [] };

/** A site that changes at random. */
class ChangingSite {
  readonly all: readonly Device[];
  readonly devices: Map<string, Device>;
  readonly cables = new Map<string, Cable>();
  readonly links = new Map<string, FabricLink>();
  readonly random: SeededRandom;

  constructor(random: SeededRandom, all: readonly Device[]) {
    this.random = random;
    this.all = all;
    this.devices = new Map(all.map((one) => [one.code, one]));
  }

  /** Cables a site at random, or the few devices in a chain. */
  async cableUp(writer: DcWriter): Promise<void> {
    if (this.all === FEW) for (const cable of CHAIN) await this.putCable(writer, cable);
    else for (let left = 20; left > 0; left -= 1) await this.change(writer);
  }

  /** Changes something, and returns the keys of what changed. */
  async change(writer: DcWriter): Promise<Changed> {
    const kind = this.random.below(10);
    if (kind < 4) return this.joinPorts(writer);
    const cable = this.pick(this.cables);
    if (kind === 4 && cable !== undefined) return this.removeCable(writer, cable);
    if (kind === 5 && cable !== undefined)
      return this.putCable(writer, { ...cable, status: cable.status === "PLANNED" ? "CONNECTED" : "PLANNED" });
    return kind === 6 && this.all === DEVICES ? this.changeLink(writer) : this.changeDevice(writer);
  }

  private pick<Item>(items: ReadonlyMap<string, Item>): Item | undefined {
    return items.size === 0 ? undefined : this.random.pick([...items.values()]);
  }

  private async joinPorts(writer: DcWriter): Promise<Changed> {
    const used = new Set([...this.cables.values()].flatMap(({ a, b }) => [a, b].map(toPortKey)));
    const free = [...this.devices.values()]
      .flatMap(({ code: deviceCode, ports = [] }) =>
        ports.map(({ name: portName }): PortRef => ({ deviceCode, portName })),
      )
      .filter((port) => !used.has(toPortKey(port)));
    if (free.length === 0) return NONE;
    const [one, other] = [this.random.pick(free), this.random.pick(free)];
    if (one.deviceCode === other.deviceCode) return NONE;
    const [a, b] = orderCableEnds(one, other);
    return this.putCable(writer, { a, b, status: "CONNECTED" });
  }

  private async putCable(writer: DcWriter, cable: Cable): Promise<Changed> {
    const key = getResourceKey(cable);
    this.cables.set(key, cable);
    await putAll(writer, "cable", [cable]);
    return { ...NONE, cable: [key] };
  }

  private async removeCable(writer: DcWriter, cable: Cable): Promise<Changed> {
    const key = getResourceKey(cable);
    this.cables.delete(key);
    await writer.remove("cable", key);
    return { ...NONE, cable: [key] };
  }

  private async changeLink(writer: DcWriter): Promise<Changed> {
    const known = this.pick(this.links);
    if (known !== undefined && this.random.below(2) === 0) {
      const key = getResourceKey(known);
      this.links.delete(key);
      await writer.remove("fabric_link", key);
      return { ...NONE, fabric_link: [key] };
    }
    const [one, other] = [this.random.pick(["H5", "S1", "S2"]), this.random.pick(["S3", "S4"])];
    const [a, b] = orderCableEnds({ deviceCode: one, portName: "e4" }, { deviceCode: other, portName: "e4" });
    const link: FabricLink = { a, b };
    this.links.set(getResourceKey(link), link);
    await putAll(writer, "fabric_link", [link]);
    return { ...NONE, fabric_link: [getResourceKey(link)] };
  }

  /** A panel that is crossed, that has lost a port at which a cable may stay, or that has it again. */
  private rewire({ ports = [], ...panel }: Device): Device {
    const crossed = ports.map(({ mappings, ...port }) => ({
      ...port,
      ...(mappings && { mappings: mappings.map((one) => ({ ...one, rearPosition: 3 - one.rearPosition })) }),
    }));
    const other = ports.length < 3 ? this.all.find(({ code }) => code === panel.code)?.ports : ports.slice(1);
    return { ...panel, ports: this.random.below(3) === 0 ? crossed : (other ?? []) };
  }

  /** Removes a device with its cables, brings it back, turns a server into a switch, or changes a panel. */
  private async changeDevice(writer: DcWriter): Promise<Changed> {
    const any = this.random.pick(this.all);
    const key = any.code.toLowerCase();
    const now = this.devices.get(any.code);
    if (now !== undefined && this.random.below(3) === 0) {
      const own = [...this.cables.values()].filter(({ a, b }) =>
        [a, b].some(({ deviceCode }) => deviceCode === any.code),
      );
      for (const cable of own) await this.removeCable(writer, cable);
      this.devices.delete(any.code);
      await writer.remove("device", key);
      return { ...NONE, device: [key], cable: own.map(getResourceKey) };
    }
    const changed = now === undefined ? any : now.ports === PORTS ? turn(now) : this.rewire(now);
    this.devices.set(any.code, changed);
    await putAll(writer, "device", [changed]);
    return { ...NONE, device: [key] };
  }
}

function turn(device: Device): Device {
  return { ...device, kind: device.kind === "SERVER" ? "SWITCH" : "SERVER" };
}

/** The data paths of each host, in no order that matters. */
async function pathsOf(store: DcStore, topology: Topology) {
  await store.read((reader) => readHostPaths({ topology, reader, scheduler: new CooperativeScheduler() }));
  const paths = [...(topology.dataNetwork.paths ?? [])];
  return paths.map(([host, own]) => [host, ...own.map((codes) => codes.join(" ")).sort()].join(" | ")).sort();
}

test("data paths that follow changes are those that reading all cables finds", async () => {
  let [followed, found] = [0, 0];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LAW_RUNS; seed += 1) {
    const random = new SeededRandom(seed);
    const site = new ChangingSite(random, seed % 2 === 0 ? DEVICES : FEW);
    const store = openMemory();
    await store.write((writer) => putAll(writer, "device", site.all));
    const build = () => store.read(async (reader) => Topology.createFromInventory(await reader.powerInventory()));
    await store.write((writer) => site.cableUp(writer));
    let topology = await build();
    await pathsOf(store, topology);
    for (let step = 0; step < STEPS; step += 1) {
      const keys = await store.write((writer) => site.change(writer));
      topology = topology.createChanged(keys, await store.read((reader) => reader.powerInventory(keys)));
      // Some changes gather until something asks.
      if (random.below(3) === 0) continue;
      followed += Number(topology.dataNetwork.earlier !== undefined);
      const paths = await pathsOf(store, topology);
      found += paths.length;
      expect([seed, step, paths]).toEqual([seed, step, await pathsOf(store, await build())]);
    }
  }
  expect(followed).toBeGreaterThan(LAW_RUNS);
  expect(found).toBeGreaterThan(LAW_RUNS);
}, 240_000);
