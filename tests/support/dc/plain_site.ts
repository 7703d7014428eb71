import { selectDrawPorts } from "#dc/model/draw.ts";
import { codeKey, compareByCodePoints, getResourceKey } from "#dc/model/ref.ts";
import type { Cable, Device, DeviceBody, FabricLink, PortRef } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";

type Kind = "device" | "rack" | "crac" | "cable" | "fabric_link";
type Resource = { readonly code: string } | { readonly a: PortRef; readonly b: PortRef };

/**
 * One map of resources, and the reads that rules repeat as plain searches through it: the model that a write
 * transaction is compared with. It shares nothing with the stores but the key of a resource.
 */
export class PlainSite {
  private entries = new Map<string, StoredVersion<unknown>>();

  put(kind: Kind, stored: StoredVersion<unknown>): void {
    const key = getResourceKey(stored.resource as never);
    this.entries.set(`${kind} ${key}`, JSON.parse(JSON.stringify(stored)));
  }

  remove(kind: Kind, key: string): void {
    this.entries.delete(`${kind} ${key}`);
  }

  /** A copy of the map, to go back to. */
  mark(): ReadonlyMap<string, StoredVersion<unknown>> {
    return new Map(this.entries);
  }

  goBack(mark: ReadonlyMap<string, StoredVersion<unknown>>): void {
    this.entries = new Map(mark);
  }

  async stored(kind: Kind, key: string): Promise<unknown> {
    return this.entries.get(`${kind} ${key}`);
  }

  async device(code: string): Promise<Device | undefined> {
    return this.all<Device>("device").find((one) => codeKey(one.code) === codeKey(code));
  }

  async devicesInRack(code: string): Promise<readonly Device[]> {
    const inside = this.all<Device>("device").filter(({ rackCode }) => codeKey(rackCode ?? "") === codeKey(code));
    return inside.map(selectDrawPorts);
  }

  async childrenOf(code: string): Promise<readonly DeviceBody[]> {
    const isInside = ({ parentDeviceCode }: Device) => codeKey(parentDeviceCode ?? "") === codeKey(code);
    const inside = this.all<Device>("device").filter(isInside);
    return inside.map(({ ports: _, ...body }) => body);
  }

  async cableAt({ deviceCode, portName }: PortRef): Promise<Cable | undefined> {
    return this.all<Cable>("cable").find(({ a, b }) =>
      [a, b].some((end) => codeKey(end.deviceCode) === codeKey(deviceCode) && end.portName === portName),
    );
  }

  async fabricLinksOf(code: string): Promise<readonly FabricLink[]> {
    return this.all<FabricLink>("fabric_link").filter(({ a, b }) =>
      [a, b].some((end) => codeKey(end.deviceCode) === codeKey(code)),
    );
  }

  async feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    for (const { code, ports = [] } of this.all<Device>("device")) {
      for (const { name, powerOut } of ports) {
        if (codeKey(powerOut?.feedId ?? "") === codeKey(feedId)) return { deviceCode: code, portName: name };
      }
    }
    return undefined;
  }

  /** Codes of devices with a port of this type, by whether one of these ports is neither cabled nor marked. */
  async withPort(type: string, isFree: boolean): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { code, ports = [] } of this.all<Device>("device")) {
      const typed = ports.filter((port) => (port.type ?? "") === type);
      let free = false;
      for (const { name, markConnected } of typed) {
        const cable = await this.cableAt({ deviceCode: code, portName: name });
        if (cable === undefined && markConnected !== true) free = true;
      }
      if (typed.length > 0 && free === isFree) found.push(code);
    }
    return found;
  }

  private all<One extends Resource>(kind: Kind): readonly One[] {
    const found = [...this.entries].filter(([name]) => name.startsWith(`${kind} `));
    return found
      .map(([, { resource }]) => resource as One)
      .toSorted((x, y) => compareByCodePoints(getResourceKey(x as never), getResourceKey(y as never)));
  }
}
