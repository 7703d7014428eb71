import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey, isSamePort } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { DcReader } from "#dc/ports.ts";

/** A read of what a topology holds: power ports and power cables only. */
export function readingOf(topology: Topology) {
  const { cables } = topology.inventory;
  const reader = {
    device: async (code: string) => topology.device(codeKey(code)),
    devices: async (codes: readonly string[]) => codes.flatMap((code) => topology.device(codeKey(code)) ?? []),
    cablesOfAll: async (codes: readonly string[]) => {
      const keys = new Set(codes.map(codeKey));
      return cables.filter(({ a, b }) => keys.has(codeKey(a.deviceCode)) || keys.has(codeKey(b.deviceCode)));
    },
    cableAt: async (end: PortRef) => cables.find(({ a, b }) => isSamePort(a, end) || isSamePort(b, end)),
  } as unknown as DcReader;
  return { topology, reader, scheduler: new CooperativeScheduler() };
}
