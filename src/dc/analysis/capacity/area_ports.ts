import { codeKey } from "#dc/model/code.ts";
import type { PortKind } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import type { Topology } from "../topology.ts";
import { lostTogether } from "./lost_together.ts";

export interface FreePort {
  readonly device: Device;
  readonly port: Port;
}

/** Free ports of one type, now and after the single failure that takes most of them. */
export interface FreePorts {
  readonly kind: PortKind;
  readonly type: string;
  readonly speedMbps?: number;
  readonly free: number;
  readonly afterFailure: number;
  /** The failure that takes most; undefined if no recorded one takes any. */
  readonly failureRef: string | undefined;
}

/** Counts free ports by kind, type and speed. Devices without power now count nothing. */
export function* freePorts(topology: Topology, ports: readonly FreePort[]): Steps<readonly FreePorts[]> {
  const { power, live } = topology;
  const keyOf = ({ device }: FreePort) => `device:${codeKey(device.code)}`;
  const isLive = (one: FreePort) => live[power.indexOf.get(keyOf(one)) ?? -1] === 1;
  const alike = Map.groupBy(
    ports.filter(isLive),
    ({ port }) => `${port.kind} ${port.type ?? ""} ${port.speedMbps ?? 0}`,
  );
  const found: FreePorts[] = [];
  for (const [, own] of [...alike].sort(([a], [b]) => compareText(a, b))) {
    const [first] = own;
    if (first === undefined) continue;
    yield;
    const { kind, type = "", speedMbps } = first.port;
    let [most, failureRef]: [number, string | undefined] = [0, undefined];
    for (const { ref, lost } of lostTogether(topology, own, keyOf)) {
      if (lost.length > most) [most, failureRef] = [lost.length, ref];
    }
    const counts = { free: own.length, afterFailure: own.length - most, failureRef };
    found.push({ kind, type, ...(speedMbps !== undefined && { speedMbps }), ...counts });
  }
  return found;
}
