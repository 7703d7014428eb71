import type { PhaseLeg } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Crac, Device, PortRef } from "#dc/model/resources.ts";
import { atOnce } from "#kernel/steps.ts";
import { PowerGraphEditor } from "./power_graph_editor.ts";
import type { SupplyRecord } from "./power_nodes.ts";

/** An edge from a supply to a consumer. `inlet` is the consumer's inlet; empty from a device to its own outlet. */
export interface PowerEdge {
  readonly from: number;
  readonly to: number;
  /** An inlet, or the bay of a blade that its chassis supplies. */
  readonly inlet: string;
  /**
   * GATE: from the source of an inlet to an outlet that draws through it and is dead without it; its watts pass through
   * the device. BAY: from a chassis to a blade without inlets. Absent for everything else.
   */
  readonly how?: "GATE" | "BAY";
  /** On the edge from a device to its outlet: the inlet that the outlet draws through. */
  readonly through?: string;
  /** Index of the consumer's inlet or outlet among its ports. */
  readonly place: number;
  /** Recorded draw of the inlet, which splits the consumer's load; watts. */
  readonly allocatedW?: number;
  /** Recorded label of the inlet's supply side. */
  readonly label?: string;
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

/** The power graph of an inventory. Edges are listed at both of their ends; indexes are those of `nodes`. */
export interface PowerGraph {
  readonly nodes: readonly PowerNode[];
  /** Sorted by the code of the consumer's device and its ports; cooling units come last. */
  readonly supplies: readonly (readonly PowerEdge[])[];
  /** In the order of the consumer's ports. */
  readonly inlets: readonly (readonly PowerEdge[])[];
  /** Node of a reference key: device:<key>, crac:<key>, port:<port key>, feed:<key>; a declared feed is its outlet. */
  readonly indexOf: { get(key: string): number | undefined };
  /** Whether a power factor or a leg is recorded anywhere, so that volt-amperes are not watts. */
  readonly isApparent: boolean;
}

/**
 * Builds the graph: a feed is an edge that starts at the outlet which declares it, a connected power cable is one between
 * its two ports. Cost: O(ports + cables). Source: docs/contract/datacenter-analyses.md#power-graph.
 */
export function powerGraph(inventory: Inventory): PowerGraph {
  return atOnce(PowerGraphEditor.build(inventory)).graph();
}
