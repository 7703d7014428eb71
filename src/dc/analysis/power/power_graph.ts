import type { PhaseLeg } from "#dc/model/enum_values.ts";
import type { Crac, Device, PortRef } from "#dc/model/resources.ts";
import type { EdgeLists, PowerEdges } from "./power_edges.ts";

/** Recorded supply of a device or cooling unit. Disabled inlets are excluded. */
export interface SupplyRecord {
  /** Inlets with a recorded source, whether or not it carries; the bay of a blade counts as one. */
  readonly recorded: number;
  /** Names of the inlets without a recorded source. */
  readonly unrecorded: readonly string[];
}

interface NodeBase {
  readonly ref: string;
  /** Live inlets that it needs among the recorded ones; 0 makes it a root. */
  readonly need: number;
  /** Not in service before anything fails, or an outlet that is switched off or broken. */
  readonly blocked: boolean;
  /** Blocked because it is not installed, not because it is off or broken for now. */
  readonly absent: boolean;
  readonly capacityW?: number;
  readonly maxUtilizationPct: number;
}

/**
 * A device, a cooling unit, an outlet, or an undeclared feed, which counts as live supply. A feed without a reference
 * marks a removed element: it has no edges and no power.
 */
export type PowerNode =
  | (NodeBase & SupplyRecord & { readonly kind: "DEVICE"; readonly device: Device })
  | (NodeBase & SupplyRecord & { readonly kind: "CRAC"; readonly crac: Crac })
  | (NodeBase & {
      readonly kind: "OUTLET";
      readonly end: PortRef;
      readonly isThreePhase: boolean;
      /** The phases between which its consumers are. */
      readonly leg?: PhaseLeg;
    })
  | (NodeBase & { readonly kind: "FEED" });

/** Bits of a node's kind. */
export const NODE = { OUTLET: 1, DRAWS_FROM_ONE: 2 } as const;

/** What a failure asks of every node that it reaches, by node. They may be longer than the list of nodes. */
export interface NodeColumns {
  readonly need: Uint16Array;
  /** Bits of `NODE`. */
  readonly kind: Uint8Array;
  /** Load that it may carry for long; infinite without a recorded capacity. */
  readonly limitW: Float64Array;
}

/** The power graph of an inventory. Edges are listed at both of their ends; indexes are those of `nodes`. */
export interface PowerGraph {
  readonly nodes: readonly PowerNode[];
  /** Sorted by the code of the consumer's device and its ports; cooling units come last. */
  readonly supplies: EdgeLists;
  /** In the order of the consumer's ports. */
  readonly inlets: EdgeLists;
  /** The same in columns. */
  readonly edges: PowerEdges;
  readonly columns: NodeColumns;
  /** Node of a reference key: device:<key>, crac:<key>, port:<port key>, feed:<key>; a declared feed is its outlet. */
  readonly indexOf: { get(key: string): number | undefined };
  /** Whether a power factor or a leg is recorded anywhere, so that volt-amperes are not watts. */
  readonly isApparent: boolean;
}
