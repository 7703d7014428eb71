import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { FreePorts } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { DevicePort } from "../cabling/trace_site.ts";
import type { Topology } from "../topology.ts";

/** Counts free ports by kind, type and speed. Ports of devices without power are not counted. */
export function* countFreePortsByType(topology: Topology, ports: readonly DevicePort[]): Steps<readonly FreePorts[]> {
  const { power, live } = topology;
  const formatNodeKey = ({ device }: DevicePort) => `device:${codeKey(device.code)}`;
  const isLive = (one: DevicePort) => live[power.indexOf.get(formatNodeKey(one)) ?? -1] === 1;
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
    let [most, failureRef] = [0, ""];
    for (const { ref, lost } of listSharedLosses(topology, own, formatNodeKey)) {
      if (lost.length > most) [most, failureRef] = [lost.length, ref];
    }
    const counts = { free: own.length, failoverFree: own.length - most, failureRef };
    found.push({ kind, type, ...(speedMbps !== undefined && { speedMbps }), ...counts });
  }
  return found;
}

/** Items that one failure turns off. */
interface SharedLoss<Item> {
  readonly ref: string;
  readonly lost: readonly Item[];
}

/**
 * Lists every single failure that turns off items: the failure of an item's own element, and failures of elements whose
 * loss alone turns this element off. Sorted by reference.
 * @param keyOf returns the key of an item in the power graph
 */
export function listSharedLosses<Item>(
  { power, killers }: Topology,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly SharedLoss<Item>[] {
  const found = new Map<number, Item[]>();
  for (const item of items) {
    const own = power.indexOf.get(keyOf(item));
    if (own === undefined) continue;
    for (const index of new Set([own, ...(killers.findKillers(own) ?? [])])) found.getOrInsert(index, []).push(item);
  }
  return [...found]
    .map(([index, lost]) => ({ ref: power.nodes[index]?.ref ?? "", lost }))
    .sort((a, b) => compareText(a.ref, b.ref));
}
