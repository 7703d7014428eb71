import type { PhaseLeg } from "#dc/model/enum_values.ts";
import type { Crac, Device, PortRef } from "#dc/model/resources.ts";
import type { EdgeLists, InletLists, PowerEdges } from "./power_edges.ts";

/** Recorded supply of a device or cooling unit. Disabled inlets are excluded. */
export interface SupplyRecord {
  /** Number of inlets with a recorded source, with or without power; the bay of a blade counts as one inlet. */
  readonly recorded: number;
  /** Names of the inlets without a recorded source. */
  readonly unrecorded: readonly string[];
}

interface NodeBase {
  readonly ref: string;
  /** Number of recorded inlets that must be live for the node to be live; 0 makes it a root. */
  readonly need: number;
  /** Whether the node is dead before anything fails: not in service, or an outlet that is switched off or broken. */
  readonly blocked: boolean;
  /** Whether the node is blocked because it is not installed, rather than temporarily off or broken. */
  readonly absent: boolean;
  readonly capacityW?: number;
  readonly maxUtilizationPct: number;
}

/**
 * A device, a cooling unit, an outlet, or an undeclared feed, which counts as live supply. A feed node without a
 * reference stands for a removed element: it has no edges and no power.
 */
export type PowerNode =
  | (NodeBase & SupplyRecord & { readonly kind: "DEVICE"; readonly device: Device })
  | (NodeBase & SupplyRecord & { readonly kind: "CRAC"; readonly crac: Crac })
  | (NodeBase & {
      readonly kind: "OUTLET";
      readonly end: PortRef;
      readonly isThreePhase: boolean;
      /** Phases between which the outlet's consumers are connected. */
      readonly leg?: PhaseLeg;
    })
  | (NodeBase & { readonly kind: "FEED" });

/** Bits of a node's kind. */
export const NODE_BITS = { OUTLET: 1, DRAWS_FROM_ONE: 2 } as const;

/** Columns of the node properties that each failure reads. They may be longer than the list of nodes. */
export interface NodeColumns {
  readonly need: Uint16Array;
  /** Kind of each node as bits of `NODE_BITS`. */
  readonly kind: Uint8Array;
  /** Load in watts that each node may carry continuously; infinite without a recorded capacity. */
  readonly limitW: Float64Array;
}

/** The power graph of an inventory. Edges are listed at both of their ends; indexes are those of `nodes`. */
export interface PowerGraph {
  readonly nodes: readonly PowerNode[];
  /** Edges by source node, sorted by the code of the consumer's device and its ports; cooling units come last. */
  readonly supplies: EdgeLists;
  /** Edges by consumer node, in the order of the consumer's ports. */
  readonly inlets: InletLists;
  /** Supplies and inlets in columns. */
  readonly edges: PowerEdges;
  readonly columns: NodeColumns;
  /** Node numbers by key: device:<key>, crac:<key>, port:<port key>, feed:<key>. A declared feed is its outlet. */
  readonly indexOf: { get(key: string): number | undefined };
  /** Whether a power factor or a leg is recorded anywhere, so that volt-amperes are not watts. */
  readonly isApparent: boolean;
}
