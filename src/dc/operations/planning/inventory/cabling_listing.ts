import { formatCableRef, formatPortReference, toPortKey } from "#dc/model/ref.ts";
import type { Cable, Device, Port } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { readResourcePages } from "../../database_pages.ts";
import { createTextCell, type Listing } from "./listing.ts";

/** Lists cables with their ends. Reads the database, because the topology omits data cables. */
export function createCablesListing(reader: DcReader, total: number): Listing<Cable> {
  return {
    getRef: ({ a, b }) => formatCableRef(a, b),
    getName: ({ a, b }) => `${a.deviceCode}/${a.portName}~${b.deviceCode}/${b.portName}`,
    columns: {
      label: ({ label }) => createTextCell(label),
      a_device: ({ a }) => a.deviceCode,
      a_port: ({ a }) => a.portName,
      b_device: ({ b }) => b.deviceCode,
      b_port: ({ b }) => b.portName,
      type: ({ type }) => type,
      status: ({ status = "CONNECTED" }) => status,
      length_m: ({ lengthM }) => lengthM,
      color: ({ color }) => createTextCell(color),
      bundle: ({ bundle }) => createTextCell(bundle),
      tenant: ({ tenant }) => createTextCell(tenant),
      tags: ({ tags = [] }) => createTextCell(tags.join(", ")),
    },
    readBatches: () => readResourcePages(reader, "cable"),
    total,
  };
}

interface PortOfDevice {
  readonly device: Device;
  readonly port: Port;
}

/** Lists ports with their devices; looks up the far ends only for the rows of a page. */
export function createPortsListing(reader: DcReader, total: number): Listing<PortOfDevice> {
  return {
    getRef: ({ device, port }) => formatPortReference({ deviceCode: device.code, portName: port.name }),
    getName: ({ device, port }) => `${device.code}/${port.name}`,
    columns: {
      device: ({ device }) => device.code,
      port: ({ port }) => port.name,
      kind: ({ port }) => port.kind,
      type: ({ port }) => createTextCell(port.type),
      speed_mbps: ({ port }) => port.speedMbps,
      role: ({ port }) => port.netRole,
      enabled: ({ port }) => (port.enabled === false ? "NO" : "YES"),
      source: ({ port }) => createTextCell(port.powerIn?.sourceRef),
      feed: ({ port }) => createTextCell(port.powerOut?.feedId),
      lag: ({ port }) => createTextCell(port.lag),
      mac_address: ({ port }) => createTextCell(port.macAddress),
      label: ({ port }) => createTextCell(port.label),
      rack: ({ device }) => createTextCell(device.rackCode),
    },
    readBatches: () => readPortBatches(reader),
    total,
    loadTexts: (items) => findFarEnds(reader, items),
  };
}

async function* readPortBatches(reader: DcReader): AsyncGenerator<readonly PortOfDevice[]> {
  for await (const devices of readResourcePages(reader, "device")) {
    yield devices.flatMap((device) => (device.ports ?? []).map((port) => ({ device, port })));
  }
}

/** Finds the ports at the other end of the cables of some ports. */
async function findFarEnds(reader: DcReader, items: readonly PortOfDevice[]) {
  const cables = await reader.cablesOfAll([...new Set(items.map(({ device }) => device.code))]);
  const ends = new Map(
    cables.flatMap(({ a, b }) => [
      [toPortKey(a), b],
      [toPortKey(b), a],
    ]),
  );
  return ({ device, port }: PortOfDevice): Readonly<Record<string, string>> => {
    const far = ends.get(toPortKey({ deviceCode: device.code, portName: port.name }));
    return far === undefined ? {} : { leads_to: formatPortReference(far) };
  };
}
