import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { portKey } from "#dc/model/ref.ts";
import type { Cable, PortRef } from "#dc/model/resources.ts";
import { createDirectPath, type NetworkSession, type TracedPath, type TracedWays } from "./traced_ways.ts";

/** The failed parts of a network. Nodes are indexes in the power graph. */
export interface DeadNetwork {
  /** Nodes of devices that are off. */
  readonly off: Iterable<number>;
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: readonly number[];
  /** Failed ports, including both ends of failed cables. */
  readonly ports: readonly PortRef[];
}

/** Keys of the failed parts of a network. */
interface DeadKeys {
  readonly devices: ReadonlySet<string>;
  readonly ports: ReadonlySet<string>;
}

/** The data paths of devices to switches. Reads and traces each path once for all failures that are queried. */
export class DataPaths {
  readonly #session: NetworkSession;
  readonly #traced: TracedWays;
  /** Keys of the codes of all switches. */
  readonly #switches: ReadonlySet<string>;
  /** Paths from devices along their data cables, by the key of the device code. */
  readonly #ways = new Map<string, readonly TracedPath[]>();

  constructor(session: NetworkSession, traced: TracedWays, switches: ReadonlySet<string>) {
    this.#session = session;
    this.#traced = traced;
    this.#switches = switches;
  }

  /**
   * Finds the devices that stay on while each of their data paths to a switch passes a failed port or a device that is
   * off or cut off. Omits switches, power equipment and patch panels.
   * Cost: the cables of the dead switches and failed panels and those of the devices behind them; a trace for each
   * cable at a patch panel.
   * @returns nodes
   */
  async isolatedBy({ off, cutOff, ports }: DeadNetwork): Promise<readonly number[]> {
    const { power, live } = this.#session.topology;
    const devices = new Set<string>();
    for (const index of [...off, ...cutOff]) {
      const node = power.nodes[index];
      if (node?.kind === "DEVICE") devices.add(codeKey(node.device.code));
    }
    const dead = { devices, ports: new Set(ports.map(portKey)) };
    const found: number[] = [];
    for (const [code, ways] of await this.#waysOf(await this.#candidates(dead))) {
      const index = power.indexOf.get(`device:${code}`) ?? -1;
      const own = ways.filter((way) => this.#switches.has(way.devices.at(-1) ?? ""));
      if (live[index] === 1 && own.length > 0 && !own.some((way) => isPathAlive(way, dead))) found.push(index);
    }
    return found;
  }

  /** Keys of the codes of all devices whose paths were queried, and of the devices along these paths. */
  get followed(): ReadonlySet<string> {
    return new Set([...this.#ways].flatMap(([code, ways]) => [code, ...ways.flatMap(({ devices }) => devices)]));
  }

  /** Returns the keys of hosts on data paths that start at a dead switch, a dead patch panel or a failed port. */
  async #candidates(dead: DeadKeys): Promise<Iterable<string>> {
    const { topology } = this.#session;
    const isStart = (code: string) => this.#switches.has(code) || topology.device(code)?.kind === "PATCH_PANEL";
    const starts = new Set([...dead.devices].filter(isStart));
    for (const key of dead.ports) starts.add(key.slice(0, key.indexOf("/")));
    const ends = new Set<string>();
    for (const [start, ways] of await this.#waysOf(starts)) {
      for (const code of [start, ...ways.flatMap(({ devices }) => devices)])
        if (this.#isHost(code, dead)) ends.add(code);
    }
    return ends;
  }

  async #waysOf(codes: Iterable<string>): Promise<readonly (readonly [string, readonly TracedPath[]])[]> {
    const all = [...codes];
    await this.#read(all.filter((code) => !this.#ways.has(code)));
    return all.map((code) => [code, this.#ways.get(code) ?? []] as const);
  }

  async #read(codes: readonly string[]): Promise<void> {
    if (codes.length === 0) return;
    const { reader, scheduler } = this.#session;
    const found = new Map<string, TracedPath[]>(codes.map((code) => [code, []]));
    const cables = await reader.cablesOfAll(codes);
    for (const { a, b } of cables.filter(isActiveDataCable)) {
      for (const [own, far] of [
        [a, b],
        [b, a],
      ] as const) {
        const list = found.get(codeKey(own.deviceCode));
        if (list === undefined) continue;
        await scheduler.yieldIfDue();
        list.push(...(await this.#waysFrom(own, far)));
      }
    }
    for (const [code, ways] of found) this.#ways.set(code, ways);
  }

  async #waysFrom(own: PortRef, far: PortRef): Promise<readonly TracedPath[]> {
    const kindOf = ({ deviceCode }: PortRef) => this.#session.topology.device(deviceCode)?.kind;
    return [own, far].map(kindOf).includes("PATCH_PANEL") ? this.#traced.through(own) : [createDirectPath(own, far)];
  }

  #isHost(code: string, dead: DeadKeys): boolean {
    const device = this.#session.topology.device(code);
    if (device === undefined || this.#switches.has(code) || dead.devices.has(code)) return false;
    return device.kind !== "PATCH_PANEL" && !isPowerKind(device.kind);
  }
}

function isPathAlive({ devices, ports }: TracedPath, dead: DeadKeys): boolean {
  return !devices.some((code) => dead.devices.has(code)) && !ports.some((key) => dead.ports.has(key));
}

/** Whether a cable is a connected data cable. */
export function isActiveDataCable({ type, status = "CONNECTED" }: Cable): boolean {
  return type !== "POWER" && status === "CONNECTED";
}
