import type { Device } from "#dc/model/resources.ts";
import { type ExportFile, type ExportInventory, factsOf, isReachable } from "./inventory.ts";

/**
 * An inventory as Ansible reads it from a script or a file of JSON: hosts by code, with groups by site, rack, role and
 * kind, and the facts of a device as variables `planner_<fact>`.
 */
export function ansibleInventory({ devices }: ExportInventory): readonly ExportFile[] {
  const hosts = devices.filter(isReachable);
  const groups = new Map<string, string[]>();
  for (const host of hosts) {
    for (const group of groupsOf(host)) groups.set(group, [...(groups.get(group) ?? []), host.code]);
  }
  const hostvars = Object.fromEntries(hosts.map((host) => [host.code, varsOf(host)]));
  const names = [...groups.keys()].toSorted();
  const inventory = {
    _meta: { hostvars },
    all: { children: ["ungrouped", ...names] },
    ...Object.fromEntries(names.map((name) => [name, { hosts: groups.get(name) }])),
  };
  return [{ name: "inventory.json", text: `${JSON.stringify(inventory, null, 2)}\n` }];
}

/** Letters, digits and underscores are all that a group's name may hold. */
function groupsOf({ location, rackCode, role, kind }: Device): readonly string[] {
  const given: readonly (readonly [string, string | undefined])[] = [
    ["site", location?.siteId],
    ["rack", rackCode],
    ["role", role],
    ["kind", kind.toLowerCase()],
  ];
  return given.flatMap(([prefix, value]) =>
    value === undefined ? [] : [`${prefix}_${value.replace(/[^A-Za-z0-9_]/g, "_")}`],
  );
}

function varsOf(device: Device): Readonly<Record<string, string>> {
  const facts = Object.entries(factsOf(device)).map(([name, value]) => [`planner_${name}`, value]);
  return Object.fromEntries([...facts, ["ansible_host", device.name ?? device.code]]);
}
