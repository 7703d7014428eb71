import type { FailureKind } from "#dc/model/enum_values.ts";
import type { Impact, ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { TrippedSource } from "../power/cascade.ts";
import type { Overloaded } from "../power/failure_state.ts";

/** An element that fails; `index` is its node in the power graph, -1 if it has no node. */
export interface FailingElement {
  readonly index: number;
  readonly kind: FailureKind;
  /** Reference of an element without a node. */
  readonly ref?: string;
  /** Nodes that fail with a location; empty for a data cable or a fabric link. */
  readonly members?: FailingMembers;
}

/** Nodes that fail together with an element. */
export interface FailingMembers {
  readonly nodes: readonly number[];
  /** Members that do not count as offline themselves. */
  readonly unlisted: ReadonlySet<number>;
}

/** Returns the nodes that fail with an element. */
export function listFailingNodes({ index, members }: FailingElement): readonly number[] {
  return members === undefined ? [index] : members.nodes;
}

/** Effects on power of losing some elements at once. Lists contain node numbers in no particular order. */
export interface PowerOutcome {
  readonly elements: readonly FailingElement[];
  /** Counts as in a blast radius; failed cooling units among the elements are counted as well. */
  readonly impact: Impact;
  /** Nodes without power before anything trips, the failed elements included. */
  readonly direct: readonly number[];
  /** Devices and cooling units that go offline: not the failed elements, but the contents of failed locations. */
  readonly offline: readonly number[];
  /** Devices and cooling units that stay on with less supply. */
  readonly degraded: readonly number[];
  /** Keys of racks. */
  readonly racksDark: readonly string[];
  readonly racksPartial: readonly string[];
  readonly racksProtected: readonly string[];
  /** Racks of `racksDark` that go dark only after something trips. */
  readonly racksDarkByTrip: readonly string[];
  readonly trips: readonly TrippedSource[];
  readonly overloads: readonly Overloaded[];
}

/** Returns nodes that do not work after a failure, its elements included. */
export function listOutcomeOffNodes({ elements, offline }: PowerOutcome): readonly number[] {
  if (elements.some(({ members }) => members !== undefined))
    return [...new Set([...elements.flatMap(listFailingNodes), ...offline])];
  const off = elements.map(({ index }) => index);
  for (const index of offline) off.push(index);
  return off;
}

/** An outcome with its effects on cooling and networks. */
export interface Failure extends PowerOutcome {
  readonly zones: readonly ZoneShortage[];
  /** Numbers of the fabric links that go down. */
  readonly links: readonly number[];
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: readonly number[];
  /** Nodes of devices that stay on without a data path. */
  readonly isolated: readonly number[];
  /** Whether data paths of devices pass what fails. Then other failures decide which of these devices are on. */
  readonly meetsDataPaths: boolean;
}

/** Effects of a failure on networks that do not follow from devices that are off. */
export interface NetworkEffects {
  /** Numbers of the links that go down regardless of the devices at their ends. */
  readonly cut: readonly number[];
  readonly isolated: readonly number[];
}
