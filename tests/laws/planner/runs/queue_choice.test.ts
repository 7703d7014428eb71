import { expect } from "bun:test";
import fc from "fast-check";
import { listRequestedIds, listStartableIds, type QueueState } from "#planner/runs/run_queue.ts";
import { computeReadiness } from "#planner/spec/readiness.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { builtSpec } from "../../../support/built_spec.ts";
import { law } from "../../../support/law.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

const IDS = Array.from({ length: 8 }, (_, index) => `2026-11-01-00${index + 1}-abc` as SpecId);
/** Also as people and imports write them. */
const STATUSES = ["pending", "pending", "pending", "in_progress", "paused", "completed", "cancelled"];
const OTHERS = ["blocked", "failed", "needs_attention", "draft"];

interface Planned {
  readonly status: string;
  readonly dependsOn: readonly SpecId[];
  readonly completes: boolean;
}

/** Any spec may wait for any other, for itself and for one that does not exist. */
const planned: fc.Arbitrary<Planned> = fc.record({
  status: fc.constantFrom(...STATUSES, ...OTHERS),
  dependsOn: fc.subarray([...IDS, "2026-11-01-099-zzz" as SpecId], { maxLength: 2 }),
  completes: fc.boolean(),
});
const project = fc.tuple(...IDS.map(() => planned));
type Project = readonly Planned[];

/** Works the queue's choice one spec at a time to its end; returns the ids in the order in which they began. */
function worked(plan: Project, named: readonly SpecId[], stopAtFailure: boolean): readonly SpecId[] {
  const specs: Spec[] = plan.map(({ status, dependsOn }, index) =>
    builtSpec(IDS[index] ?? "", `status: ${status}\ndepends_on: [${dependsOn.join(", ")}]`),
  );
  const world = () => ({ specs, readiness: computeReadiness(specs, new Set()) });
  const wanted = listRequestedIds(named, world());
  const [tried, completed] = [new Set<SpecId>(), new Set<SpecId>()];
  for (;;) {
    const state: QueueState = {
      namedIds: named,
      requestedIds: wanted,
      follow: true,
      triedIds: tried,
      completedIds: completed,
    };
    const [next] = listStartableIds(state, world());
    if (next === undefined) return [...tried];
    tried.add(next);
    const index = IDS.indexOf(next);
    const spec = specs[index] as Spec;
    const begins = !["completed", "cancelled", "draft"].includes(spec.status) && isUnblocked(spec, specs);
    if (!begins) continue;
    const done = plan[index]?.completes === true;
    specs[index] = { ...spec, status: done ? "completed" : "needs_attention" };
    if (done) completed.add(next);
    else if (stopAtFailure) return [...tried];
  }
}

function isUnblocked({ dependsOn }: Spec, specs: readonly Spec[]): boolean {
  return dependsOn.every((id) => ["completed", "cancelled"].includes(specs.find((one) => one.id === id)?.status ?? ""));
}

/** The same in the words of the rule: a set that grows, over plain texts. */
function expected(plan: Project, named: readonly SpecId[]): ReadonlySet<SpecId> {
  const status = new Map(plan.map((one, index) => [IDS[index] as SpecId, one.status]));
  const open = ({ dependsOn }: Planned) =>
    dependsOn.every((id) => ["completed", "cancelled"].includes(status.get(id) ?? ""));
  const isAtFirst = (id: SpecId, at: number) => status.get(id) === "pending" && open(planAt(plan, at));
  const asked = named.length > 0 ? named : IDS.filter(isAtFirst);
  const begun = new Set<SpecId>();
  const completed = new Set<SpecId>();
  const begins = (id: SpecId, spec: Planned): boolean => {
    if (begun.has(id) || ["completed", "cancelled", "draft"].includes(spec.status) || !open(spec)) return false;
    return asked.includes(id) || (spec.status === "pending" && spec.dependsOn.some((one) => completed.has(one)));
  };
  for (;;) {
    const next = IDS.find((id, at) => begins(id, planAt(plan, at)));
    if (next === undefined) return begun;
    begun.add(next);
    const { completes } = planAt(plan, IDS.indexOf(next));
    status.set(next, completes ? "completed" : "needs_attention");
    if (completes) completed.add(next);
  }
}

const planAt = (plan: Project, at: number): Planned => plan[at] as Planned;

law(
  "a queue that follows begins what was asked for and what its own completions made ready, and nothing else",
  [project, fc.subarray(IDS, { maxLength: 2 })],
  (plan, named) => {
    const begun = worked(plan, named, false).filter((id) => isBegun(plan, named, id));

    expect(begun.toSorted()).toEqual([...expected(plan, named)].toSorted());
  },
  { numRuns: LAW_RUNS * 10 },
);

/** A single spec that is asked for is tried whatever its status is, and refused. */
function isBegun(plan: Project, named: readonly SpecId[], id: SpecId): boolean {
  return named.length !== 1 || named[0] !== id || expected(plan, named).has(id);
}

law(
  "a chain begins nothing unasked that is not pending, and stops at its first failure only",
  [project, fc.constantFrom(...IDS)],
  (plan, first) => {
    const [, ...unasked] = worked(plan, [first], true);

    for (const id of unasked) expect(plan[IDS.indexOf(id)]?.status).toBe("pending");
    for (const id of unasked.slice(0, -1)) expect(plan[IDS.indexOf(id)]?.completes).toBe(true);
  },
  { numRuns: LAW_RUNS * 10 },
);
