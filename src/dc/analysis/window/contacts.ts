import { compareText } from "#dc/model/ref.ts";
import type { WindowContact } from "#gen/datacenter/v1/messages.ts";
import { selectItDevices } from "../power/power_nodes.ts";
import { findTenant } from "../power/tenant_impacts.ts";
import type { Topology } from "../topology.ts";
import { degradedDevices } from "./judgement.ts";
import type { Outage, WindowGround } from "./outage.ts";

/** Who is responsible for devices that a window affects. Codes are in order. */
export type Contact = Omit<WindowContact, "lostCount" | "reserveCount">;

/**
 * Lists the owners of everything that is lost, the window's own devices and cooling units included, and of what stays on with no
 * more supply than it needs. A device without a tenant or contact has those of its rack.
 */
export function contactsOf(
  { topology, site }: WindowGround,
  outage: Outage,
  lostBeside: Iterable<number>,
): readonly Contact[] {
  const { power, live } = site;
  const isUnit = (index: number) => power.nodes[index]?.kind === "CRAC";
  const beside = [...lostBeside];
  const units = [...outage.covered, ...beside].filter(isUnit);
  const devices = [
    ...selectItDevices(power, outage.covered).filter((index) => live[index] === 1),
    ...selectItDevices(power, beside),
  ];
  const lost = new Set([...devices, ...units]);
  const reserve = degradedDevices(outage, power).filter(
    (index) => !lost.has(index) && isUnspared(outage, power, index),
  );
  const found = new Map<string, { tenant: string; contact: string; lost: string[]; reserve: string[] }>();
  const add = (part: "lost" | "reserve", indexes: Iterable<number>) => {
    for (const index of indexes) {
      const { tenant, contact, code } = ownerOf(topology, index);
      const key = `${tenant}\n${contact}`;
      const known = found.get(key) ?? { tenant, contact, lost: [], reserve: [] };
      known[part].push(code);
      found.set(key, known);
    }
  };
  add("lost", lost);
  add("reserve", reserve);
  return mergeContacts([[...found.values()]]);
}

/** The contacts of several pieces of time: what is lost in one of them is lost. */
export function mergeContacts(pieces: readonly (readonly Contact[])[]): readonly Contact[] {
  const byOwner = Map.groupBy(pieces.flat(), ({ tenant, contact }) => `${tenant}\n${contact}`);
  const merged = [...byOwner.values()].flatMap((all): Contact[] => {
    const [first] = all;
    if (first === undefined) return [];
    const lost = new Set(all.flatMap((one) => one.lost));
    const reserve = new Set(all.flatMap((one) => one.reserve)).difference(lost);
    return [{ ...first, lost: [...lost].sort(compareText), reserve: [...reserve].sort(compareText) }];
  });
  return merged.sort((a, b) => compareText(a.tenant, b.tenant) || compareText(a.contact, b.contact));
}

function isUnspared({ blast }: Outage, { nodes, inlets }: Topology["power"], index: number): boolean {
  const left = inlets.of(index).filter(({ from }) => blast.live[from] === 1).length;
  return left <= Math.max(1, nodes[index]?.need ?? 1);
}

function ownerOf(topology: Topology, index: number) {
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
