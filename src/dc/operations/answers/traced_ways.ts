import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { MAX_HOPS } from "#dc/limits.ts";
import { codeKey } from "#dc/model/code.ts";
import { toPortKey } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { BatchedSite } from "./batched_site.ts";
import type { CooperativeScheduler } from "./cooperative_scheduler.ts";

export interface NetworkSession {
  readonly topology: Topology;
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
}

/** One path between two ports: the ports at its ends, and the keys of the devices and ports along it. */
export interface TracedPath {
  readonly ends: readonly [PortRef, PortRef];
  readonly devices: readonly string[];
  readonly ports: readonly string[];
}

/** Follows data cables through patch panels for one call. Reads and traces nothing twice. */
export class PathTracer {
  readonly #site: BatchedSite;
  readonly #yieldIfDue: () => Promise<void>;
  readonly #pathsByPort = new Map<string, Promise<readonly TracedPath[]>>();

  constructor({ reader, scheduler }: NetworkSession) {
    this.#site = new BatchedSite(reader);
    this.#yieldIfDue = async () => scheduler.yieldIfDue();
  }

  /** Returns the paths of all fibres through a port. A path through a patch panel's port includes both of its ends. */
  tracePaths(port: PortRef): Promise<readonly TracedPath[]> {
    return this.#pathsByPort.getOrInsertComputed(toPortKey(port), () => this.#trace(port));
  }

  async #trace(port: PortRef): Promise<readonly TracedPath[]> {
    const options = { stopAtPower: true, followSplits: true, maxHops: MAX_HOPS, pause: this.#yieldIfDue };
    const paths = await traceCable(port, this.#site, options);
    return paths.flatMap(({ hops }): TracedPath[] => {
      const [first, last] = [hops[0], hops.at(-1)];
      if (first === undefined || last === undefined) return [];
      return [
        {
          ends: [
            { deviceCode: first.device.code, portName: first.outPort },
            { deviceCode: last.device.code, portName: last.inPort === "" ? last.outPort : last.inPort },
          ],
          devices: hops.map(({ device }) => codeKey(device.code)),
          ports: hops.flatMap(({ device: { code: deviceCode }, inPort, outPort }) =>
            [inPort, outPort].map((portName) => toPortKey({ deviceCode, portName })),
          ),
        },
      ];
    });
  }
}

/** Returns the path of a cable between two devices. */
export function createDirectPath(own: PortRef, far: PortRef): TracedPath {
  return {
    ends: [own, far],
    devices: [codeKey(own.deviceCode), codeKey(far.deviceCode)],
    ports: [toPortKey(own), toPortKey(far)],
  };
}
