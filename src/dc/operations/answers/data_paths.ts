import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { toPortKey } from "#dc/model/ref.ts";
import type { Cable, PortRef } from "#dc/model/resources.ts";
import { listNodeDevices } from "./power_sources.ts";
import { createDirectPath, type NetworkSession, type PathTracer, type TracedPath } from "./traced_ways.ts";

/** The failed parts of a network. Nodes are indexes in the power graph. */
export interface DeadNetworkElements {
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
  readonly #tracer: PathTracer;
  /** Keys of the codes of all switches. */
  readonly #switchKeys: ReadonlySet<string>;
  /** Paths from devices along their data cables, by the key of the device code. */
  readonly #pathsByDevice = new Map<string, readonly TracedPath[]>();

  constructor(session: NetworkSession, traced: PathTracer, switches: ReadonlySet<string>) {
    this.#session = session;
    this.#tracer = traced;
    this.#switchKeys = switches;
  }

  /**
   * Finds the devices that stay on while each of their data paths to a switch passes a failed port or a device that is
   * off or cut off. Omits switches, power equipment and patch panels.
   * Cost: the cables of the dead switches and failed panels and those of the devices behind them; a trace for each
   * cable at a patch panel.
   * @returns nodes
   */
  async findIsolatedDevices({ off, cutOff, ports }: DeadNetworkElements): Promise<readonly number[]> {
    const { power, live } = this.#session.topology;
    const devices = new Set(listNodeDevices(power, [...off, ...cutOff]).map(({ code }) => codeKey(code)));
    const dead = { devices, ports: new Set(ports.map(toPortKey)) };
    const found: number[] = [];
    for (const [code, ways] of await this.#listPaths(await this.#findAffectedHosts(dead))) {
      const index = power.indexOf.get(`device:${code}`) ?? -1;
      const own = ways.filter((way) => this.#switchKeys.has(way.devices.at(-1) ?? ""));
      if (live[index] === 1 && own.length > 0 && !own.some((way) => isPathAlive(way, dead))) found.push(index);
    }
    return found;
  }

  /** Keys of the codes of all devices whose paths were queried, and of the devices along these paths. */
  get followedDeviceKeys(): ReadonlySet<string> {
    return new Set(
      [...this.#pathsByDevice].flatMap(([code, ways]) => [code, ...ways.flatMap(({ devices }) => devices)]),
    );
  }

  /** Returns the keys of hosts on data paths that start at a dead switch, a dead patch panel or a failed port. */
  async #findAffectedHosts(dead: DeadKeys): Promise<Iterable<string>> {
    const { topology } = this.#session;
    const isStart = (code: string) => this.#switchKeys.has(code) || topology.device(code)?.kind === "PATCH_PANEL";
    const starts = new Set([...dead.devices].filter(isStart));
    for (const key of dead.ports) starts.add(key.slice(0, key.indexOf("/")));
    const ends = new Set<string>();
    for (const [start, ways] of await this.#listPaths(starts)) {
      for (const code of [start, ...ways.flatMap(({ devices }) => devices)])
        if (this.#isWorkingHost(code, dead)) ends.add(code);
    }
    return ends;
  }

  async #listPaths(codes: Iterable<string>): Promise<readonly (readonly [string, readonly TracedPath[]])[]> {
    const all = [...codes];
    await this.#readPaths(all.filter((code) => !this.#pathsByDevice.has(code)));
    return all.map((code) => [code, this.#pathsByDevice.get(code) ?? []] as const);
  }

  async #readPaths(codes: readonly string[]): Promise<void> {
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
        list.push(...(await this.#tracePaths(own, far)));
      }
    }
    for (const [code, ways] of found) this.#pathsByDevice.set(code, ways);
  }

  async #tracePaths(own: PortRef, far: PortRef): Promise<readonly TracedPath[]> {
    const kindOf = ({ deviceCode }: PortRef) => this.#session.topology.device(deviceCode)?.kind;
    return [own, far].map(kindOf).includes("PATCH_PANEL") ? this.#tracer.tracePaths(own) : [createDirectPath(own, far)];
  }

  #isWorkingHost(code: string, dead: DeadKeys): boolean {
    const device = this.#session.topology.device(code);
    if (device === undefined || this.#switchKeys.has(code) || dead.devices.has(code)) return false;
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
