import type { Cable, Device } from "#dc/model/resources.ts";
import type { ExportFile, ExportInventory } from "./inventory.ts";

/** Devices and cables as a graph in DOT, racks as clusters. Devices without cables are left out. */
export function graphviz({ racks, devices, cables }: ExportInventory): readonly ExportFile[] {
  const cabled = new Set(cables.flatMap(({ a, b }) => [a.deviceCode, b.deviceCode]));
  const shown = devices.filter(({ code }) => cabled.has(code));
  const names = new Map(racks.map(({ code, name }) => [code, name ?? code]));
  const lines = [
    "graph inventory {",
    "  graph [compound=true, overlap=false];",
    '  node [shape=box, fontname="sans-serif"];',
  ];
  for (const [rack, members] of byRack(shown)) {
    if (rack === "") lines.push(...members.map((device) => `  ${nodeOf(device)}`));
    else {
      lines.push(`  subgraph ${quoted(`cluster_${rack}`)} {`, `    label=${quoted(names.get(rack) ?? rack)};`);
      lines.push(...members.map((device) => `    ${nodeOf(device)}`), "  }");
    }
  }
  lines.push(...cables.map(edgeOf), "}");
  return [{ name: "inventory.dot", text: `${lines.join("\n")}\n` }];
}

function byRack(devices: readonly Device[]): ReadonlyMap<string, readonly Device[]> {
  const groups = new Map<string, Device[]>();
  for (const device of devices) {
    const rack = device.rackCode ?? "";
    groups.set(rack, [...(groups.get(rack) ?? []), device]);
  }
  return groups;
}

function nodeOf({ code, name, role }: Device): string {
  return `${quoted(code)} [label=${quoted(name ?? code)}${role === undefined ? "" : `, tooltip=${quoted(role)}`}];`;
}

function edgeOf({ a, b, color, status }: Cable): string {
  const style = status === "PLANNED" ? ", style=dashed" : "";
  const shade = color === undefined ? "" : `, color=${quoted(`#${color}`)}`;
  return `  ${quoted(a.deviceCode)} -- ${quoted(b.deviceCode)} [taillabel=${quoted(a.portName)}, headlabel=${quoted(b.portName)}${shade}${style}];`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
