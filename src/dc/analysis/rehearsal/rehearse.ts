import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Crac } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import type { BlastOptions } from "../blast_radius.ts";
import type { DeviceOf } from "../fabric_tiers.ts";
import type { Topology } from "../topology.ts";
import { charge } from "./charge.ts";
import { FabricWatch } from "./fabric_loss.ts";
import { type Line, linesOf } from "./lines.ts";
import type { Element, Failure, Outcome } from "./outcome.ts";
import { slowFailure } from "./slow_failure.ts";
import { ZoneWatch } from "./zone_shortage.ts";

export interface Rehearsal {
  /** The worst first. */
  readonly lines: readonly Line[];
  /** Elements that were failed. */
  readonly elements: number;
  /** Pairs of elements that were judged. */
  readonly pairs: number;
  /** Elements without any effect. */
  readonly harmless: number;
  /** Capacity of fabric links in megabits per second. */
  readonly mbpsOf: (links: Iterable<number>) => number;
}

/** Fails elements one after the other and folds what they do into lines, the worst first. */
export function* rehearse(
  topology: Topology,
  elements: readonly Element[],
  { deviceOf, ...options }: BlastOptions & { readonly deviceOf: DeviceOf },
): Steps<Rehearsal> {
  const effects = new Effects(topology, deviceOf, options.basis);
  const failures: Failure[] = [];
  for (const element of elements) {
    yield;
    failures.push(effects.of(yield* slowFailure(topology, [element], options)));
  }
  const charged = yield* charge(topology.power, failures);
  return {
    lines: yield* linesOf(topology, charged, options.basis),
    elements: elements.length,
    pairs: 0,
    harmless: charged.filter(({ own, smaller }) => own.size + smaller.size === 0).length,
    mbpsOf: (links) => effects.fabrics.mbpsOf(links),
  };
}

/** Adds to an outcome what it does to cooling and fabrics. */
class Effects {
  private readonly topology: Topology;
  private readonly zones: ZoneWatch;
  readonly fabrics: FabricWatch;

  constructor(topology: Topology, deviceOf: DeviceOf, basis: LoadBasis) {
    this.topology = topology;
    this.zones = new ZoneWatch(topology, basis);
    this.fabrics = new FabricWatch(topology, deviceOf);
  }

  of(outcome: Outcome): Failure {
    const off = [...outcome.elements.map(({ index }) => index), ...outcome.offline];
    const cracs = off.flatMap((index): readonly Crac[] => {
      const node = this.topology.power.nodes[index];
      return node?.kind === "CRAC" ? [node.crac] : [];
    });
    return { ...outcome, zones: this.zones.after(cracs, off), ...this.fabrics.after(off) };
  }
}
