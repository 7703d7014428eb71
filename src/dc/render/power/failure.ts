import type { BlastRadius } from "#dc/analysis/power/blast_radius.ts";
import { sortNodes } from "#dc/analysis/power/node_numbers.ts";
import type { LiveSet } from "#dc/analysis/power/power_live.ts";
import { collectUpstream, type PowerGraph, type PowerNode } from "#dc/analysis/power/power_nodes.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { toRefKey } from "#dc/model/ref.ts";
import type { Rack } from "#dc/model/resources.ts";
import { getRefName } from "#words/names.ts";

/** The complete result of a power failure analysis, because truncated lists would show too few lost elements. */
export interface PowerFailure {
  readonly graph: PowerGraph;
  /** Nodes that were live before the failure. */
  readonly before: LiveSet;
  readonly blast: BlastRadius;
  readonly basis: LoadBasis;
  /** The requested source references, and the nodes of each. */
  readonly sources: readonly { readonly ref: string; readonly nodes: ReadonlySet<number> }[];
  /** References of the fabric links that go down, their lost traffic, and the switches that lose their last uplink. */
  readonly network: {
    readonly linksDown: readonly string[];
    readonly lostMbps: number;
    readonly cutOff: readonly string[];
    /** Codes of devices that stay on without a data path. */
    readonly isolated: readonly string[];
  };
  /** Finds a rack by its code, for its location and name. */
  readonly rack: (code: string) => Rack | undefined;
}

/** States of elements after a failure. OFF was without power before; LIVE is drawn as part of the supply chain. */
export const IMPACT_STATES = ["FAILED", "OFFLINE", "ON_BATTERY", "DEGRADED", "LIVE", "OFF"] as const;
export type ImpactState = (typeof IMPACT_STATES)[number];

/** The part of the power graph that a picture shows. */
export interface FailureSurroundings {
  readonly impacts: ReadonlyMap<number, ImpactState>;
  /** The affected nodes, in an order that does not depend on their numbers. */
  readonly affected: readonly number[];
  /** Nodes drawn as separate boxes if they fit: sources, and overloaded or tripped nodes. */
  readonly keyNodes: ReadonlySet<number>;
  /** The step of the cascade in which a node trips, and its utilization at that step. */
  readonly trips: ReadonlyMap<number, { readonly step: number; readonly utilizationPct: number }>;
  readonly overloads: ReadonlyMap<number, BlastRadius["overloads"][number]>;
}

/**
 * Collects the nodes that fail or are de-energized, degraded or overloaded, and the supply chains of sources that are
 * one node. Cost: proportional to the affected nodes.
 */
export function collectFailureSurroundings({ graph, before, blast, sources }: PowerFailure): FailureSurroundings {
  const impacts = new Map<number, ImpactState>();
  const findNodes = (ref: string): readonly number[] => {
    const index = graph.indexOf.get(toRefKey(ref));
    return index === undefined ? [] : [index];
  };
  for (const index of blast.dark) impacts.set(index, "OFFLINE");
  for (const { index, state } of blast.hits) impacts.set(index, state);
  const overloads = new Map(
    blast.overloads.flatMap((overload) => findNodes(overload.ref).map((index) => [index, overload] as const)),
  );
  for (const index of overloads.keys()) impacts.getOrInsert(index, "LIVE");
  const trips = new Map(
    blast.steps.flatMap(({ step, trips: tripped }) =>
      tripped.flatMap(({ ref, utilizationPct }) =>
        findNodes(ref).map((index) => [index, { step, utilizationPct }] as const),
      ),
    ),
  );
  const single = sources.flatMap(({ nodes }) => (nodes.size === 1 ? [...nodes] : []));
  for (const { nodes } of sources) for (const index of nodes) impacts.set(index, "FAILED");
  for (const index of collectUpstream(graph, single)) {
    if (graph.nodes[index]?.kind !== "OUTLET") impacts.getOrInsert(index, before[index] === 1 ? "LIVE" : "OFF");
  }
  const keys = new Set([...single, ...overloads.keys(), ...trips.keys()]);
  return { impacts, affected: sortNodes(graph, [...impacts.keys()]), keyNodes: keys, trips, overloads };
}

/** Returns the displayed name of a node: a code, or the name in its reference. */
export function formatNodeTitle(node: PowerNode): string {
  if (node.kind === "DEVICE") return node.device.code;
  return node.kind === "CRAC" ? node.crac.code : getRefName(node.ref);
}
