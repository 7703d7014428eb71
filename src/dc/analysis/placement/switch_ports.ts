import type { NetworkPortSummary } from "#dc/model/inventory.ts";
import { isCablelessType } from "#dc/model/port_types.ts";
import { codeKey, toPortKey } from "#dc/model/ref.ts";
import { type Device, type FabricLink, isInService, type Port, type Rack } from "#dc/model/resources.ts";
import type { DevicePort } from "../cabling/trace_site.ts";
import type { Topology } from "../topology.ts";
import { Limit, type LimitUse, type PlacementObstacle, type RequestedPorts } from "./limits.ts";

interface HostSwitch {
  readonly device: Device;
  readonly free: Port[];
}

export interface SwitchPool {
  readonly switches: readonly HostSwitch[];
  /** Use by one device, with one limit per kind of ports. */
  readonly uses: readonly LimitUse[];
}

const SPINE_ROLES: readonly (string | undefined)[] = ["spine", "super-spine"];
const NON_HOST_PORT_ROLES: readonly (string | undefined)[] = ["UPLINK", "PEER"];

/** Lists the switches of a site that devices may be connected to: in service, and not spines. */
export function listHostSwitches({ inventory }: Topology): readonly Device[] {
  return inventory.devices.filter(
    (device) =>
      (device.kind === "SWITCH" || device.kind === "ROUTER") &&
      device.rackCode !== undefined &&
      isInService(device) &&
      !SPINE_ROLES.includes(device.role),
  );
}

/** Lists the host switches that are in these racks or in their rows. */
export function listHostSwitchesNear(topology: Topology, racks: readonly Rack[]): readonly Device[] {
  const near = new Set(racks.flatMap((rack) => [codeKey(rack.code), formatRowKey(rack) ?? ""]));
  return listHostSwitches(topology).filter(({ rackCode = "" }) => {
    return near.has(codeKey(rackCode)) || near.has(formatRowKey(topology.rack(rackCode)) ?? codeKey(rackCode));
  });
}

/** Lists a switch's free ports for a device; `linked` contains the keys of the ports of fabric links. */
export function listHostPorts(
  { code: deviceCode }: Device,
  { free, divided }: NetworkPortSummary,
  linked: ReadonlySet<string>,
): readonly Port[] {
  const names = new Set(free.map(({ name }) => name));
  return free.filter(
    (port) =>
      isFreePort(port) &&
      !divided.includes(port.name) &&
      (port.parentPort === undefined || names.has(port.parentPort)) &&
      !linked.has(toPortKey({ deviceCode, portName: port.name })),
  );
}

/** Counts the free ports of switches: switches in a rack itself, otherwise switches in the row of the rack. */
export class SwitchPorts {
  readonly #wanted: readonly RequestedPorts[];
  readonly #byRack = new Map<string, HostSwitch[]>();
  readonly #byRow = new Map<string, HostSwitch[]>();
  readonly #pools = new Map<string, SwitchPool>();

  constructor(topology: Topology, wanted: readonly RequestedPorts[], records: ReadonlyMap<string, NetworkPortSummary>) {
    this.#wanted = wanted;
    const linked = collectLinkedPorts(topology.inventory.fabricLinks);
    for (const device of wanted.length === 0 ? [] : listHostSwitches(topology)) {
      const record = records.get(codeKey(device.code));
      if (record === undefined) continue;
      const free = listHostPorts(device, record, linked).filter((port) =>
        this.#wanted.some((want) => isMatchingPort(port, want)),
      );
      const one = { device, free };
      this.#byRack.getOrInsert(codeKey(device.rackCode ?? ""), []).push(one);
      const row = formatRowKey(topology.rack(device.rackCode ?? ""));
      if (row !== undefined) this.#byRow.getOrInsert(row, []).push(one);
    }
  }

  /** Returns the switches of a rack with their free ports. Without requested ports or switches, the pool is absent. */
  findPool(rack: Rack): { readonly pool?: SwitchPool; readonly obstacles: readonly PlacementObstacle[] } {
    if (this.#wanted.length === 0) return { obstacles: [] };
    const own = this.#byRack.get(codeKey(rack.code));
    const row = formatRowKey(rack);
    const [key, switches] =
      own !== undefined ? [`rack:${codeKey(rack.code)}`, own] : [`row:${row}`, this.#byRow.get(row ?? "") ?? []];
    if (switches.length === 0) {
      const message = `Rack "${rack.code}" and its row have no switch with recorded ports`;
      return { obstacles: [{ reason: "NO_SWITCH", message, ref: `rack:${rack.code}` }] };
    }
    const pool = this.#pools.getOrInsertComputed(key, () => this.#createPool(switches));
    return { pool, obstacles: [] };
  }

  /**
   * Chooses ports for one device, on as many switches as possible, starting with the switches with the most free ports.
   *
   * @returns undefined if there are not enough free ports
   */
  choosePorts({ switches }: SwitchPool): readonly DevicePort[] | undefined {
    const taken: DevicePort[] = [];
    for (const want of this.#wanted) {
      for (let count = 0; count < want.count; count += 1) {
        const found = findNextPort(switches, want, taken);
        if (found === undefined) return undefined;
        taken.push(found);
      }
    }
    return taken;
  }

  takePorts({ switches }: SwitchPool, taken: readonly DevicePort[]): void {
    for (const { device, port } of taken) {
      const free = switches.find((one) => one.device === device)?.free ?? [];
      const at = free.indexOf(port);
      if (at >= 0) free.splice(at, 1);
    }
  }

  #createPool(switches: readonly HostSwitch[]): SwitchPool {
    const uses = this.#wanted.map((want) => {
      const free = switches.reduce((sum, one) => sum + one.free.filter((port) => isMatchingPort(port, want)).length, 0);
      const ref = `device:${switches[0]?.device.code ?? ""}`;
      const unit = `free ${formatPortType(want)} ports`;
      const limit = new Limit({ reason: "NO_SWITCH_PORT", ref, unit, capacity: free, maxUse: free, used: 0 });
      return { limit, each: want.count };
    });
    return { switches, uses };
  }
}

function findNextPort(
  switches: readonly HostSwitch[],
  want: RequestedPorts,
  taken: readonly DevicePort[],
): DevicePort | undefined {
  let best: { readonly taken: DevicePort; readonly used: number; readonly left: number } | undefined;
  for (const { device, free } of switches) {
    const used = taken.filter((one) => one.device === device);
    const port = free.find((one) => isMatchingPort(one, want) && !used.some((other) => other.port === one));
    if (port === undefined) continue;
    const left = free.length;
    if (best === undefined || used.length < best.used || (used.length === best.used && left > best.left)) {
      best = { taken: { device, port }, used: used.length, left };
    }
  }
  return best?.taken;
}

function isMatchingPort(port: Port, { type, speedMbps }: RequestedPorts): boolean {
  return (type === undefined || port.type === type) && (speedMbps === undefined || port.speedMbps === speedMbps);
}

function isFreePort({ type, enabled, mgmtOnly, netRole, markConnected, lag }: Port): boolean {
  return (
    enabled !== false &&
    mgmtOnly !== true &&
    markConnected !== true &&
    lag === undefined &&
    !NON_HOST_PORT_ROLES.includes(netRole) &&
    !isCablelessType(type)
  );
}

/** Returns keys of the ports at the ends of fabric links. */
export function collectLinkedPorts(links: readonly FabricLink[]): ReadonlySet<string> {
  return new Set(links.flatMap(({ a, b }) => [toPortKey(a), toPortKey(b)]));
}

function formatRowKey(rack: Rack | undefined): string | undefined {
  const { siteId = "", floorNumber = 0, row } = rack?.location ?? {};
  return row === undefined ? undefined : codeKey(`${siteId}/${floorNumber}/${row}`);
}

export function formatPortType({ type, speedMbps }: RequestedPorts): string {
  const speed = speedMbps === undefined ? "" : speedMbps >= 1000 ? `${speedMbps / 1000} Gbit/s` : `${speedMbps} Mbit/s`;
  return [speed, type ?? ""].filter((part) => part !== "").join(" ");
}
