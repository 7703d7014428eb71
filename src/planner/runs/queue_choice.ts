import { isReadyWithoutRequest, RESUMABLE_STATUSES } from "../operations/shared/start_checks.ts";
import type { SpecWorld } from "../operations/shared/world.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { parseParentId, type SpecId } from "../spec/spec_id.ts";
import { isDoneGroup } from "./close_group.ts";

/** State by which a queue chooses the next specs to begin. */
export interface QueueState {
  readonly namedIds: readonly SpecId[];
  /** Ids of the requested specs, in the order in which they begin. */
  readonly requestedIds: readonly SpecId[];
  /** Whether to begin specs that the queue's own completions make ready. */
  readonly follow: boolean;
  readonly triedIds: ReadonlySet<SpecId>;
  readonly completedIds: ReadonlySet<SpecId>;
}

/** Returns the named specs with their members, or without names all specs that may start without being named. */
export function listRequestedIds(
  named: readonly SpecId[],
  { specs, readiness }: Pick<SpecWorld, "specs" | "readiness">,
) {
  if (named.length > 0) return addMemberIds(named, specs);
  return specs.filter((spec) => isReadyWithoutRequest(spec, readiness)).map(({ id }) => id);
}

/**
 * Returns the specs that can begin now: requested specs that are ready, and with `follow` also those that the queue's
 * completions made ready. A single requested spec always begins, so that the reason is reported if it cannot run.
 * Source: docs/decisions.md#s-24; docs/contract/spec-tool.md#rule-4.
 */
export function listStartableIds(state: QueueState, { specs, readiness }: Pick<SpecWorld, "specs" | "readiness">) {
  const { namedIds, requestedIds, triedIds } = state;
  const order = new Map(requestedIds.map((id, index) => [id, index]));
  const follows = createFollowTest(state, readiness);
  const canBegin = (spec: Spec): boolean => {
    if (!order.has(spec.id)) return follows(spec);
    if (namedIds.length === 0) return isReadyWithoutRequest(spec, readiness);
    return requestedIds.length === 1 || readiness.isReady(spec) || isResumableSpec(spec, namedIds, readiness);
  };
  return specs
    .filter((spec) => !triedIds.has(spec.id) && canBegin(spec))
    .map(({ id }) => id)
    .sort((a, b) => (order.get(a) ?? order.size) - (order.get(b) ?? order.size));
}

/** Returns a group whose members are all done, if it was requested or the queue's completions finished its members. */
export function findDoneGroup(state: QueueState, world: SpecWorld): Spec | undefined {
  const follows = createFollowTest(state, world.readiness);
  return world.specs.find(
    (spec) =>
      !state.triedIds.has(spec.id) &&
      isDoneGroup(spec, world) &&
      (state.requestedIds.includes(spec.id) || follows({ ...spec, type: "driver" })),
  );
}

/** Returns a test for specs that only the queue's completions made ready and that no run has tried. */
function createFollowTest({ follow, completedIds }: QueueState, readiness: Readiness): (spec: Spec) => boolean {
  if (!follow || completedIds.size === 0) return () => false;
  const before = readiness.without(completedIds);
  return (spec) => isReadyWithoutRequest(spec, readiness) && !before.isReady(spec);
}

/** Returns whether a named spec can be resumed: naming allows statuses that a list of ready specs omits. */
function isResumableSpec(spec: Spec, named: readonly SpecId[], readiness: Readiness): boolean {
  if (!named.includes(spec.id) || !RESUMABLE_STATUSES.includes(spec.status)) return false;
  return readiness.isReady({ ...spec, status: "pending" });
}

/** Returns the ids with their members' ids. Members come first, because a driver or group is worked after them. */
function addMemberIds(ids: readonly SpecId[], specs: readonly Spec[]): readonly SpecId[] {
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const found = new Set<SpecId>();
  const seen = new Set<string>();
  const visitSpec = (id: string): void => {
    const spec = byId.get(id);
    if (spec === undefined || seen.has(id)) return;
    seen.add(id);
    const children = specs.filter((other) => parseParentId(other.id) === spec.id).map((other) => other.id);
    for (const member of [...spec.members, ...children]) visitSpec(member);
    found.add(spec.id);
  };
  for (const id of ids) visitSpec(id);
  return [...found];
}
