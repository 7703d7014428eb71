import type { Cable, Device, Rack } from "#dc/model/resources.ts";

export interface ExportInventory {
  readonly racks: readonly Rack[];
  readonly devices: readonly Device[];
  readonly cables: readonly Cable[];
}

export interface ExportFile {
  readonly name: string;
  readonly text: string;
}

const QUERYABLE_STATUSES: readonly (string | undefined)[] = ["ACTIVE", "FAILED", "DECOMMISSIONING"];

/** Whether a monitoring program can query a device: it is installed, active, and has a network port or no ports. */
export function isQueryable({ status, kind, role, ports = [] }: Device): boolean {
  if (!QUERYABLE_STATUSES.includes(status) || kind === "PATCH_PANEL" || role === "circuit") return false;
  return ports.length === 0 || ports.some((port) => port.kind === "NETWORK");
}

/** Returns the known facts of a device by which other programs group devices, by name. */
export function listDeviceFacts(device: Device): Readonly<Record<string, string>> {
  const { location, rackCode, positionU } = device;
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ...FACT_FIELDS.map((name) => [name, device[name]] as const),
    ["site", location?.siteId],
    ["floor", location?.floorNumber],
    ["room", location?.room],
    ["row", location?.row],
    ["rack", rackCode],
    ["position_u", positionU],
  ];
  return Object.fromEntries(facts.flatMap(([name, fact]) => (fact === undefined ? [] : [[name, String(fact)]])));
}

const FACT_FIELDS = ["code", "name", "kind", "role", "status", "manufacturer", "model", "serial", "tenant"] as const;

/**
 * Writes targets for Prometheus' file_sd_configs: one group for each device that can be queried, with its facts as
 * labels `planner_<fact>`. The target is the device's name, else its code; relabelling adds a port.
 */
export function writePrometheusSd({ devices }: ExportInventory): readonly ExportFile[] {
  const groups = devices.filter(isQueryable).map((device) => ({
    targets: [device.name ?? device.code],
    labels: Object.fromEntries(
      Object.entries(listDeviceFacts(device)).map(([name, value]) => [`planner_${name}`, value]),
    ),
  }));
  return [{ name: "planner.json", text: `${JSON.stringify(groups, null, 2)}\n` }];
}

/**
 * Writes an inventory for Ansible as JSON: hosts by code, with groups by site, rack, role and kind, and the facts of a
 * device as variables `planner_<fact>`.
 */
export function writeAnsibleInventory({ devices }: ExportInventory): readonly ExportFile[] {
  const hosts = devices.filter(isQueryable);
  const groups = new Map<string, string[]>();
  for (const host of hosts) for (const group of listAnsibleGroups(host)) groups.getOrInsert(group, []).push(host.code);
  const hostvars = Object.fromEntries(hosts.map((host) => [host.code, listAnsibleVariables(host)]));
  const names = [...groups.keys()].toSorted();
  const inventory = {
    _meta: { hostvars },
    all: { children: ["ungrouped", ...names] },
    ...Object.fromEntries(names.map((name) => [name, { hosts: groups.get(name) }])),
  };
  return [{ name: "inventory.json", text: `${JSON.stringify(inventory, null, 2)}\n` }];
}

/** Returns the groups of a device, with names of letters, digits and underscores only. */
function listAnsibleGroups({ location, rackCode, role, kind }: Device): readonly string[] {
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

function listAnsibleVariables(device: Device): Readonly<Record<string, string>> {
  const facts = Object.entries(listDeviceFacts(device)).map(([name, value]) => [`planner_${name}`, value]);
  return Object.fromEntries([...facts, ["ansible_host", device.name ?? device.code]]);
}

/** Writes devices and cables as a graph in DOT, racks as clusters. Omits devices without cables. */
export function writeGraphviz({ racks, devices, cables }: ExportInventory): readonly ExportFile[] {
  const cabled = new Set(cables.flatMap(({ a, b }) => [a.deviceCode, b.deviceCode]));
  const shown = devices.filter(({ code }) => cabled.has(code));
  const names = new Map(racks.map(({ code, name }) => [code, name ?? code]));
  const lines = [
    "graph inventory {",
    "  graph [compound=true, overlap=false];",
    '  node [shape=box, fontname="sans-serif"];',
  ];
  for (const [rack, members] of Map.groupBy(shown, ({ rackCode = "" }) => rackCode)) {
    if (rack === "") lines.push(...members.map((device) => `  ${formatDotNode(device)}`));
    else {
      lines.push(`  subgraph ${quoteText(`cluster_${rack}`)} {`, `    label=${quoteText(names.get(rack) ?? rack)};`);
      lines.push(...members.map((device) => `    ${formatDotNode(device)}`), "  }");
    }
  }
  lines.push(...cables.map(formatDotEdge), "}");
  return [{ name: "inventory.dot", text: `${lines.join("\n")}\n` }];
}

function formatDotNode({ code, name, role }: Device): string {
  return `${quoteText(code)} [label=${quoteText(name ?? code)}${role === undefined ? "" : `, tooltip=${quoteText(role)}`}];`;
}

function formatDotEdge({ a, b, color, status }: Cable): string {
  const style = status === "PLANNED" ? ", style=dashed" : "";
  const shade = color === undefined ? "" : `, color=${quoteText(`#${color}`)}`;
  return `  ${quoteText(a.deviceCode)} -- ${quoteText(b.deviceCode)} [taillabel=${quoteText(a.portName)}, headlabel=${quoteText(b.portName)}${shade}${style}];`;
}

function quoteText(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
