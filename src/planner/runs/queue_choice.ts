import { isReadyUnasked, RESUMABLE } from "../operations/shared/start_checks.ts";
import type { SpecWorld } from "../operations/shared/world.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { parseParentId, type SpecId } from "../spec/spec_id.ts";
import { isDoneGroup } from "./close_group.ts";

/** What a queue knows when it chooses what to begin next. */
export interface QueueState {
  readonly named: readonly SpecId[];
  /** What is asked for, in the order of beginning. */
  readonly wanted: readonly SpecId[];
  /** Whether to go on with what the queue's own completions make ready. */
  readonly follow: boolean;
  readonly tried: ReadonlySet<SpecId>;
  readonly completed: ReadonlySet<SpecId>;
}

/** Returns the requested specs: the named specs with their members, or without names everything that starts unasked. */
export function wantedIds(named: readonly SpecId[], { specs, readiness }: Pick<SpecWorld, "specs" | "readiness">) {
  if (named.length > 0) return withMembers(named, specs);
  return specs.filter((spec) => isReadyUnasked(spec, readiness)).map(({ id }) => id);
}

/**
 * Returns the specs that can begin now: what is asked for and ready, and with `follow` what the queue's completions made
 * ready. A single spec that is asked for begins whatever its status is, so that its refusal is reported.
 *
 * Source: docs/decisions.md#s-24; docs/contract/spec-tool.md#rule-4.
 */
export function startableIds(state: QueueState, { specs, readiness }: Pick<SpecWorld, "specs" | "readiness">) {
  const { named, wanted, tried } = state;
  const order = new Map(wanted.map((id, index) => [id, index]));
  const follows = followedBy(state, readiness);
  const begins = (spec: Spec): boolean => {
    if (!order.has(spec.id)) return follows(spec);
    if (named.length === 0) return isReadyUnasked(spec, readiness);
    return wanted.length === 1 || readiness.isReady(spec) || isResumed(spec, named, readiness);
  };
  return specs
    .filter((spec) => !tried.has(spec.id) && begins(spec))
    .map(({ id }) => id)
    .sort((a, b) => (order.get(a) ?? order.size) - (order.get(b) ?? order.size));
}

/** Returns a group whose members are all done, and that is asked for or that the queue's completions finished. */
export function doneGroup(state: QueueState, world: SpecWorld): Spec | undefined {
  const follows = followedBy(state, world.readiness);
  return world.specs.find(
    (spec) =>
      !state.tried.has(spec.id) &&
      isDoneGroup(spec, world) &&
      (state.wanted.includes(spec.id) || follows({ ...spec, type: "driver" })),
  );
}

/** What would not be ready without what the queue completed, and was never tried. */
function followedBy({ follow, completed }: QueueState, readiness: Readiness): (spec: Spec) => boolean {
  if (!follow || completed.size === 0) return () => false;
  const before = readiness.without(completed);
  return (spec) => isReadyUnasked(spec, readiness) && !before.isReady(spec);
}

/** One that the caller names may come back from another status than a list of ready ones shows. */
function isResumed(spec: Spec, named: readonly SpecId[], readiness: Readiness): boolean {
  if (!named.includes(spec.id) || !RESUMABLE.includes(spec.status)) return false;
  return readiness.isReady({ ...spec, status: "pending" });
}

/** Returns the ids with all their members, members first: members are worked before their driver or group. */
function withMembers(ids: readonly SpecId[], specs: readonly Spec[]): readonly SpecId[] {
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const found = new Set<SpecId>();
  const seen = new Set<string>();
  const visit = (id: string): void => {
    const spec = byId.get(id);
    if (spec === undefined || seen.has(id)) return;
    seen.add(id);
    const children = specs.filter((other) => parseParentId(other.id) === spec.id).map((other) => other.id);
    for (const member of [...spec.members, ...children]) visit(member);
    found.add(spec.id);
  };
  for (const id of ids) visit(id);
  return [...found];
}
