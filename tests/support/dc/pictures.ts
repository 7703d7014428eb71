import { computeBlastRadius } from "#dc/analysis/power/blast_radius.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { resolveSourceNodes } from "#dc/operations/answers/failing_sources.ts";
import type { PowerFailure } from "#dc/render/power/failure.ts";
import type { Drawing, DrawOptions, GraphNode, Item } from "#dc/render/scene.ts";

export function drawOptions(parts: Partial<DrawOptions> = {}): DrawOptions {
  return { coloring: undefined, view: undefined, highlight: new Set(), maxNodes: 500, ...parts };
}

/** What fails with these sources, as the picture wants it. */
export function failureOf(
  inventory: Inventory,
  refs: readonly string[],
  { cascade = false, assumeBattery = false } = {},
): PowerFailure {
  const topology = Topology.createFromInventory(inventory);
  const sources = refs.map((ref) => ({ ref, ...resolveSourceNodes(topology, ref, "source_ref") }));
  const blast = computeBlastRadius(
    topology,
    {
      sources: new Set(sources.flatMap(({ nodes }) => [...nodes])),
      unlisted: new Set(sources.flatMap(({ equipment }) => [...equipment])),
    },
    { basis: "ALLOCATED", cascade, assumeBattery },
  );
  return {
    graph: topology.power,
    before: topology.live,
    blast,
    basis: "ALLOCATED",
    sources,
    network: { linksDown: [], lostMbps: 0, cutOff: [], isolated: [] },
    rack: (code) => topology.rack(code),
  };
}

export function wordsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind === "group") return wordsOf(item.items);
    return item.kind === "text" ? [item.text] : [];
  });
}

/** References that stand in a scene. */
export function refsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind !== "group") return [];
    return [...(item.ref === undefined ? [] : [item.ref]), ...refsOf(item.items)];
  });
}

export function nodeOf(drawing: Drawing, id: string): GraphNode | undefined {
  return drawing.graph.nodes.find((node) => node.id === id);
}
