import { codeKey } from "#dc/model/code.ts";
import { portKey } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef } from "#dc/model/resources.ts";
import type { SiteReader } from "#dc/model/site.ts";

/** Look-ups that a trace needs. */
export type TraceSite = Pick<SiteReader, "device" | "crac" | "cableAt" | "feedDeclarer" | "consumersOf">;

/** A port and its device. */
export interface Place {
  readonly device: Device;
  readonly port: Port;
}

/** Looks up devices and cables once per trace, however many fibres pass them. */
export class TraceMemo {
  readonly site: TraceSite;
  readonly #devices = new Map<string, Promise<Device | undefined>>();
  readonly #cables = new Map<string, Promise<Cable | undefined>>();

  constructor(site: TraceSite) {
    this.site = site;
  }

  device(code: string): Promise<Device | undefined> {
    return once(this.#devices, codeKey(code), () => this.site.device(code));
  }

  cableAt(end: PortRef): Promise<Cable | undefined> {
    return once(this.#cables, portKey(end), () => this.site.cableAt(end));
  }

  async place(end: PortRef): Promise<Place | undefined> {
    const device = await this.device(end.deviceCode);
    const port = device?.ports?.find(({ name }) => name === end.portName);
    return device === undefined || port === undefined ? undefined : { device, port };
  }
}

function once<Value>(known: Map<string, Promise<Value>>, key: string, load: () => Promise<Value>): Promise<Value> {
  const found = known.get(key) ?? load();
  known.set(key, found);
  return found;
}

/** The reference parts of a port. */
export function endOf({ device, port }: Place): PortRef {
  return { deviceCode: device.code, portName: port.name };
}
