type Graph = ReadonlyMap<string, readonly string[]>;

/** Returns the groups of two or more nodes that reach each other, by Kosaraju's algorithm. @param graph targets by node */
export function stronglyConnected(graph: Graph): readonly (readonly string[])[] {
  const backwards = new Map<string, string[]>([...graph.keys()].map((node) => [node, []]));
  for (const [node, targets] of graph) for (const target of targets) backwards.get(target)?.push(node);
  const seen = new Set<string>();
  const finished = postorder([...graph.keys()], graph, new Set());
  return finished
    .toReversed()
    .map((node) => postorder([node], backwards, seen))
    .filter(({ length }) => length > 1);
}

/** Returns what the nodes reach, each after all that it reaches; leaves out what was seen, and adds to it. */
function postorder(nodes: readonly string[], graph: Graph, seen: Set<string>): readonly string[] {
  return nodes.flatMap((node) => {
    if (seen.has(node) || !graph.has(node)) return [];
    seen.add(node);
    return [...postorder(graph.get(node) ?? [], graph, seen), node];
  });
}
