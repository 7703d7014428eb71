import type { FailureKind } from "#dc/model/enum_values.ts";
import type { Impact, ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Tripped } from "../power/cascade.ts";
import type { Overloaded } from "../power/failure_state.ts";

/** An element that fails; `index` is its node in the power graph, -1 for one that is no node. */
export interface Element {
  readonly index: number;
  readonly kind: FailureKind;
  /** Reference, unless the power graph has it. */
  readonly ref?: string;
  /** What fails in a place; for a data cable or a fabric link, nothing that has a node. */
  readonly members?: Members;
}

/** Nodes that fail together. */
export interface Members {
  readonly nodes: readonly number[];
  /** Those that do not count as offline themselves. */
  readonly unlisted: ReadonlySet<number>;
}

/** Nodes that fail with an element. */
export function nodesOf({ index, members }: Element): readonly number[] {
  return members === undefined ? [index] : members.nodes;
}

/** Effects of losing some elements at once. Lists contain nodes of the power graph in no particular order. */
export interface Outcome {
  readonly elements: readonly Element[];
  /** Counts as of a blast radius; a cooling unit that is itself among the elements counts as well. */
  readonly impact: Impact;
  /** Nodes without power before anything trips, the elements included. */
  readonly direct: readonly number[];
  /** Devices and cooling units that go offline, the elements left out, but not what is in a place. */
  readonly offline: readonly number[];
  /** Devices and cooling units that stay on with less supply. */
  readonly degraded: readonly number[];
  /** Keys of racks. */
  readonly racksDark: readonly string[];
  readonly racksPartial: readonly string[];
  readonly racksProtected: readonly string[];
  /** Racks of `racksDark` that are not dark before something trips. */
  readonly racksDarkByTrip: readonly string[];
  readonly trips: readonly Tripped[];
  readonly overloads: readonly Overloaded[];
}

/** Nodes that do not work after a failure, its elements included. */
export function offBy({ elements, offline }: Outcome): readonly number[] {
  if (elements.some(({ members }) => members !== undefined))
    return [...new Set([...elements.flatMap(nodesOf), ...offline])];
  const off = elements.map(({ index }) => index);
  for (const index of offline) off.push(index);
  return off;
}

/** An outcome with its effect on cooling and networks. */
export interface Failure extends Outcome {
  readonly zones: readonly ZoneShortage[];
  /** Numbers of the fabric links that go down. */
  readonly links: readonly number[];
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: readonly number[];
  /** Nodes of devices that stay on without a data path. */
  readonly isolated: readonly number[];
}

/** What a failure does to networks beside turning devices off. */
export interface NetworkEffects {
  /** Numbers of the links that go down whatever is at their ends. */
  readonly cut: readonly number[];
  readonly isolated: readonly number[];
}
