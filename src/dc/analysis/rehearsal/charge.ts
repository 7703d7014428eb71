import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Steps } from "#kernel/steps.ts";
import type { PowerGraph } from "../power_graph.ts";
import type { Failure } from "./outcome.ts";

// One failure does many single things: a device goes offline, a rack goes dark, a source trips. Each is charged to the
// smallest failures that do it. A failure is smaller than another one if the other takes its elements along.

/** A failure, and the part of what it does that no smaller failure does. */
export interface Charged {
  readonly failure: Failure;
  /** Keys of its effects; empty if smaller failures do all of it. */
  readonly own: ReadonlySet<string>;
  /** The smaller failures that do the rest. */
  readonly smaller: ReadonlySet<Failure>;
}

/** Effects of a failure as keys. */
export function effectsOf(graph: PowerGraph, failure: Failure): readonly string[] {
  const failed = failure.elements.map(({ index }) => index).filter((index) => graph.nodes[index]?.kind === "CRAC");
  return [
    // Power equipment without supply is no loss in itself: what it supplies is.
    ...failure.offline.filter((index) => !isSupply(graph, index)).map((index) => `off ${index}`),
    ...failed.map((index) => `off ${index}`),
    ...failure.degraded.map((index) => `weak ${index}`),
    ...failure.racksDark.map((key) => `dark ${key}`),
    ...failure.racksPartial.map((key) => `partial ${key}`),
    ...failure.trips.map(({ index }) => `trip ${index}`),
    ...failure.overloads.map(({ index }) => `over ${index}`),
    ...failure.zones.map(({ ref, medium, short }) => `${short ? "short" : "reserve"} ${medium} ${ref}`),
    ...failure.links.map((at) => `link ${at}`),
    ...failure.cutOff.map((index) => `cut ${index}`),
  ];
}

/** Whether a node is power equipment. */
export function isSupply({ nodes }: PowerGraph, index: number): boolean {
  const node = nodes[index];
  return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
}

/** Effects that are worse than another one, which they include. */
const WORSE: Readonly<Record<string, string>> = { weak: "off", partial: "dark", over: "trip", reserve: "short" };

/**
 * Charges every effect to the smallest failures that have it.
 * Cost: the effects and the nodes without supply of all failures, for each.
 */
export function* charge(graph: PowerGraph, failures: readonly Failure[]): Steps<readonly Charged[]> {
  const ledger = new Ledger(graph);
  const charged = new Map<Failure, Charged>();
  for (const failure of failures.toSorted((a, b) => a.direct.length - b.direct.length)) {
    yield;
    charged.set(failure, ledger.enter(failure));
  }
  return failures.flatMap((failure) => charged.get(failure) ?? []);
}

/** Who is charged with what, smaller failures first: a failure takes along more nodes than each smaller one. */
class Ledger {
  private readonly graph: PowerGraph;
  /** Number of the last failure that turns a node off before anything trips, by node. */
  private readonly marks: Uint32Array;
  private readonly owners = new Map<string, Failure[]>();
  private entered = 0;

  constructor(graph: PowerGraph) {
    this.graph = graph;
    this.marks = new Uint32Array(graph.nodes.length);
  }

  enter(failure: Failure): Charged {
    this.entered += 1;
    for (const index of failure.direct) this.marks[index] = this.entered;
    const own = new Set<string>();
    const smaller = new Set<Failure>();
    for (const effect of effectsOf(this.graph, failure)) {
      const found = this.doing(effect).filter((other) => this.takesAlong(other));
      for (const other of found) smaller.add(other);
      if (found.length === 0) own.add(effect);
    }
    for (const effect of own) {
      const list = this.owners.get(effect);
      if (list === undefined) this.owners.set(effect, [failure]);
      else list.push(failure);
    }
    return { failure, own, smaller };
  }

  /** Whether the failure that is being entered includes another one. */
  private takesAlong({ elements }: Failure): boolean {
    return elements.every(({ index }) => this.marks[index] === this.entered);
  }

  /** Failures that have an effect, or a worse one of the same thing. */
  private doing(effect: string): readonly Failure[] {
    const [word = "", ...rest] = effect.split(" ");
    const worse = WORSE[word];
    const same = this.owners.get(effect) ?? [];
    return worse === undefined ? same : [...same, ...(this.owners.get([worse, ...rest].join(" ")) ?? [])];
  }
}

/** Key of the rack that a node is located in. */
export function rackKeyOf({ nodes }: PowerGraph, index: number): string | undefined {
  const node = nodes[index];
  const code = node?.kind === "DEVICE" ? node.device.rackCode : node?.kind === "CRAC" ? node.crac.rackCode : undefined;
  return code === undefined ? undefined : codeKey(code);
}
