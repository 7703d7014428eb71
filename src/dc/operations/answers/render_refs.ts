import type { PowerGraph } from "#dc/analysis/power/power_graph.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { parseRef } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { Subgraph, SubgraphEdge, SubgraphNode } from "#dc/render/dot.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant, getRefName } from "#words/names.ts";

/** Maximum number of references of a picture request. Our choice: as many as a picture has nodes. */
const MAX_RENDER_REFS = 10_000;

/** Returns references without duplicates. @throws Refusal for too many references, or naming the malformed one */
export function readRenderRefs(refs: readonly string[]): readonly string[] {
  if (refs.length > MAX_RENDER_REFS) {
    const expected = `at most ${MAX_RENDER_REFS}`;
    throw refuse("FIELD_OUT_OF_RANGE", `Field "refs" has ${refs.length} references`, {
      field: "refs",
      value: refs.length,
      expected,
    });
  }
  const index = refs.findIndex((ref) => parseRef(ref) === undefined);
  const wrong = refs[index];
  if (wrong === undefined) return [...new Set(refs)];
  throw refuse("INVALID_REF", `Cannot read refs[${index}] "${wrong}"`, {
    field: `refs[${index}]`,
    value: wrong,
    expected: "a reference such as device:<code>",
  });
}

/** Rejects references that the picture does not contain. @throws Refusal naming the first such reference */
export function requireShownRefs(refs: readonly string[], isShown: (key: string) => boolean): void {
  const index = refs.findIndex((ref) => !isShown(ref.toLowerCase()));
  const missing = refs[index];
  if (missing === undefined) return;
  throw refuse("NOT_FOUND", `Cannot find "${missing}" in what the screen shows`, {
    field: `refs[${index}]`,
    value: missing,
    ref: missing,
  });
}

/**
 * Returns exactly the requested elements of the power graph. An indirect edge joins two elements if one supplies the
 * other through elements that were not requested. Cost: O(elements × edges between them).
 */
export function extractPowerSubgraph(
  { power, live, loadsW }: Topology,
  refs: readonly string[],
  title: string,
): Subgraph {
  const indexes = refs.map((ref) => power.indexOf.get(toRefKey(ref)) ?? -1);
  requireShownRefs(refs, (key) => indexes[refs.findIndex((ref) => ref.toLowerCase() === key)] !== -1);
  const place = new Map(indexes.map((index, at) => [index, at]));
  const isLive = (index: number) => live[index] === 1;
  return {
    title,
    directed: true,
    nodes: indexes.map((index): SubgraphNode => {
      const { name, kind, ref } = describeNodeIdentity(power, index);
      const load = formatWatts(loadsW[index] ?? 0);
      return {
        ref,
        kind,
        title: name,
        detail: `${kind} · ${load}`,
        fill: isLive(index) ? "okSoft" : "faultSoft",
        facts: [
          ["Kind", kind],
          ["Power", isLive(index) ? "live" : "without power"],
          ["Load", load],
        ],
      };
    }),
    edges: indexes.flatMap((from, at) =>
      findReachedElements(power, from, place).map(
        ([to, indirect]): SubgraphEdge => ({
          from: at,
          to: place.get(to) ?? 0,
          label: indirect ? "through other elements" : "",
          live: isLive(from),
          indirect,
        }),
      ),
    ),
  };
}

function describeNodeIdentity(power: PowerGraph, index: number) {
  const node = power.nodes[index];
  const ref = node?.ref ?? "";
  const short = getRefName(ref);
  if (node?.kind === "DEVICE") {
    const { kind, code } = node.device;
    return { ref: `device:${code}`, name: code, kind: formatConstant(isPowerKind(kind) ? kind : "CONSUMER") };
  }
  if (node?.kind === "CRAC") return { ref: `crac:${node.crac.code}`, name: node.crac.code, kind: "Cooling unit" };
  return { ref, name: short, kind: node?.kind === "OUTLET" ? "Outlet" : "Feed" };
}

/**
 * Returns the requested elements downstream of an element, and whether each is reached only through unrequested ones.
 */
function findReachedElements(
  power: PowerGraph,
  from: number,
  asked: ReadonlyMap<number, number>,
): readonly [number, boolean][] {
  const found = new Map<number, boolean>();
  const direct = new Set(power.supplies.listEdges(from).map(({ to }) => to));
  const seen = new Set(direct);
  // A Set also iterates over elements that are added during the loop, so it serves as the queue.
  for (const index of seen) {
    if (asked.has(index)) found.set(index, !direct.has(index));
    else for (const { to } of power.supplies.listEdges(index)) seen.add(to);
  }
  found.delete(from);
  return [...found];
}
