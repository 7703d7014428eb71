import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { MAX_HOPS } from "#dc/limits.ts";
import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { portKey } from "#dc/model/ref.ts";
import type { Cable, Device, PortRef } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { BatchedSite } from "./batched_site.ts";
import type { CooperativeScheduler } from "./cooperative_scheduler.ts";
import { switchesOf } from "./switch_devices.ts";

/** What fails of a network. Nodes are those of the supply. */
export interface DeadNetwork {
  /** Devices that do not work. */
  readonly off: ReadonlySet<number>;
  /** Switches that stay on without a working uplink. */
  readonly cutOff: readonly number[];
  /** Ports that fail, with both ends of cables that do. */
  readonly ports: readonly PortRef[];
}

interface Session {
  readonly topology: Topology;
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
}

/** One way from a device to another: the devices that it meets, the last one at its end, and the ports that it uses. */
interface Way {
  readonly devices: readonly string[];
  readonly ports: readonly string[];
}

/**
 * Finds the devices that stay on and whose data cables all lead to switches that are off or cut off, directly or through
 * patch panels. Switches themselves, power equipment and patch panels are left out.
 *
 * @returns nodes
 *
 * Cost: the cables of the dead switches and failed panels and those of the devices behind them; a trace for each cable at a
 * patch panel.
 */
export async function devicesWithoutDataPath(session: Session, dead: DeadNetwork): Promise<readonly number[]> {
  const { keys } = await switchesOf(session.reader, session.topology);
  const paths = new DataPaths(session, dead, keys);
  const found: number[] = [];
  const candidates = await paths.candidates();
  for (const [code, ways] of await paths.waysOf(candidates)) {
    const index = session.topology.power.indexOf.get(`device:${code}`);
    if (index !== undefined && ways.length > 0 && !ways.some((way) => paths.works(way))) found.push(index);
  }
  return found;
}

class DataPaths {
  readonly #session: Session;
  readonly #site: BatchedSite;
  /** Keys of codes. */
  readonly #switches: ReadonlySet<string>;
  readonly #dead: ReadonlySet<string>;
  readonly #ports: ReadonlySet<string>;

  constructor(session: Session, { off, cutOff, ports }: DeadNetwork, switches: ReadonlySet<string>) {
    const { power } = session.topology;
    this.#session = session;
    this.#site = new BatchedSite(session.reader);
    this.#switches = switches;
    this.#dead = new Set(
      [...off, ...cutOff].flatMap((index) => {
        const node = power.nodes[index];
        return node?.kind === "DEVICE" ? [codeKey(node.device.code)] : [];
      }),
    );
    this.#ports = new Set(ports.map(portKey));
  }

  /** Devices at the ends of ways that do not work. */
  async candidates(): Promise<readonly string[]> {
    const { topology } = this.#session;
    const isStart = (code: string) => this.#switches.has(code) || topology.device(code)?.kind === "PATCH_PANEL";
    const starts = new Set([...this.#dead].filter(isStart));
    for (const key of this.#ports) starts.add(key.slice(0, key.indexOf("/")));
    const ends = new Set<string>();
    for (const [start, ways] of await this.waysOf([...starts])) {
      for (const code of [start, ...ways.flatMap(({ devices }) => devices)]) if (this.#isHost(code)) ends.add(code);
    }
    return [...ends];
  }

  /** The ways from devices by their data cables, by keys of codes; of hosts those that end at a switch alone. */
  async waysOf(codes: readonly string[]): Promise<ReadonlyMap<string, readonly Way[]>> {
    const wanted = new Set(codes);
    const cables = codes.length === 0 ? [] : await this.#session.reader.cablesOfAll(codes);
    const ends = cables.filter(carriesData).flatMap(endsOf);
    const found = new Map<string, Way[]>();
    for (const [own, far] of ends) {
      const key = codeKey(own.deviceCode);
      if (!wanted.has(key)) continue;
      await this.#session.scheduler.yieldIfDue();
      const ways = await this.#waysFrom(own, far);
      const kept = this.#isHost(key) ? ways.filter(({ devices }) => this.#switches.has(devices.at(-1) ?? "")) : ways;
      found.set(key, [...(found.get(key) ?? []), ...kept]);
    }
    return found;
  }

  async #waysFrom(own: PortRef, far: PortRef): Promise<readonly Way[]> {
    const kindOf = ({ deviceCode }: PortRef) => this.#session.topology.device(deviceCode)?.kind;
    return [own, far].map(kindOf).includes("PATCH_PANEL") ? this.#traced(own) : [direct(own, far)];
  }

  works({ devices, ports }: Way): boolean {
    return !devices.some((code) => this.#dead.has(code)) && !ports.some((key) => this.#ports.has(key));
  }

  /** The ways from a port through patch panels; from a panel to both of its sides. */
  async #traced(start: PortRef): Promise<readonly Way[]> {
    const options = { stopAtPower: true, followSplits: true, maxHops: MAX_HOPS };
    const paths = await traceCable(start, this.#site, options);
    return paths.map(({ hops }) => ({
      devices: hops.map(({ device }) => codeKey(device.code)),
      ports: hops.flatMap(({ device, inPort, outPort }) =>
        [inPort, outPort].map((portName) => portKey({ deviceCode: device.code, portName })),
      ),
    }));
  }

  #isHost(code: string): boolean {
    const device: Device | undefined = this.#session.topology.device(code);
    if (device === undefined || this.#switches.has(code) || this.#dead.has(code)) return false;
    return device.kind !== "PATCH_PANEL" && !isPowerKind(device.kind);
  }
}

function carriesData({ type, status = "CONNECTED" }: Cable): boolean {
  return type !== "POWER" && status === "CONNECTED";
}

function endsOf({ a, b }: Cable): readonly (readonly [PortRef, PortRef])[] {
  return [
    [a, b],
    [b, a],
  ];
}

function direct(own: PortRef, far: PortRef): Way {
  return { devices: [codeKey(own.deviceCode), codeKey(far.deviceCode)], ports: [portKey(own), portKey(far)] };
}
