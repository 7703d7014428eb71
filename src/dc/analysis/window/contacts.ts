import { compareText } from "#dc/model/ref.ts";
import type { WindowContact } from "#gen/datacenter/v1/messages.ts";
import { countLiveInlets } from "../power/power_live.ts";
import { selectItDevices } from "../power/power_nodes.ts";
import { findTenant } from "../power/tenant_impacts.ts";
import type { Topology } from "../topology.ts";
import { listDegradedDevices } from "./judgement.ts";
import type { Outage, WindowInput } from "./outage.ts";

/** Owner of devices that a window affects. Codes are sorted. */
export type AffectedContact = Omit<WindowContact, "lostCount" | "reserveCount">;

/**
 * Lists the owners of all lost devices and cooling units, including the window's own, and of devices that stay on
 * without spare supply. A device without a tenant or contact has the tenant or contact of its rack.
 */
export function listContacts(
  { topology, site }: WindowInput,
  outage: Outage,
  lostBeside: Iterable<number>,
): readonly AffectedContact[] {
  const { power, live } = site;
  const isUnit = (index: number) => power.nodes[index]?.kind === "CRAC";
  const beside = [...lostBeside];
  const units = [...outage.coveredNodes, ...beside].filter(isUnit);
  const devices = [
    ...selectItDevices(power, outage.coveredNodes).filter((index) => live[index] === 1),
    ...selectItDevices(power, beside),
  ];
  const lost = new Set([...devices, ...units]);
  const reserve = listDegradedDevices(outage, power).filter(
    (index) => !lost.has(index) && lacksSpareLiveInlet(outage, power, index),
  );
  const found = new Map<string, { tenant: string; contact: string; lost: string[]; reserve: string[] }>();
  const addCodes = (part: "lost" | "reserve", indexes: Iterable<number>) => {
    for (const index of indexes) {
      const { tenant, contact, code } = findDeviceOwner(topology, index);
      const key = `${tenant}\n${contact}`;
      found.getOrInsertComputed(key, () => ({ tenant, contact, lost: [], reserve: [] }))[part].push(code);
    }
  };
  addCodes("lost", lost);
  addCodes("reserve", reserve);
  return mergeContacts([[...found.values()]]);
}

/** Merges the contacts of several pieces of time: a device that is lost in one piece counts as lost. */
export function mergeContacts(pieces: readonly (readonly AffectedContact[])[]): readonly AffectedContact[] {
  const byOwner = Map.groupBy(pieces.flat(), ({ tenant, contact }) => `${tenant}\n${contact}`);
  const merged = [...byOwner.values()].flatMap((all): AffectedContact[] => {
    const [first] = all;
    if (first === undefined) return [];
    const lost = new Set(all.flatMap((one) => one.lost));
    const reserve = new Set(all.flatMap((one) => one.reserve)).difference(lost);
    return [{ ...first, lost: [...lost].sort(compareText), reserve: [...reserve].sort(compareText) }];
  });
  return merged.sort((a, b) => compareText(a.tenant, b.tenant) || compareText(a.contact, b.contact));
}

function lacksSpareLiveInlet({ blast }: Outage, power: Topology["power"], index: number): boolean {
  return countLiveInlets(power, blast.live, index) <= Math.max(1, power.nodes[index]?.need ?? 1);
}

function findDeviceOwner(topology: Topology, index: number) {
  const node = topology.power.nodes[index];
  if (node?.kind !== "DEVICE" && node?.kind !== "CRAC") return { code: "", tenant: "", contact: "" };
  const owner = node.kind === "DEVICE" ? node.device : node.crac;
  const rack = topology.rack(owner.rackCode ?? "");
  return {
    code: owner.code,
    tenant: (node.kind === "DEVICE" ? findTenant(topology, index) : rack?.tenant) ?? "",
    contact: owner.labels?.["contact"] ?? rack?.labels?.["contact"] ?? "",
  };
}
