import { findCopiedId, findNearFields, findSecondBlock } from "./near.ts";
import { type FilterStatus, getCountedStatus, isDoneStatus, type Spec } from "./spec.ts";
import { parseMemberNumber, parseParentId } from "./spec_id.ts";

/** Readiness of a set of specs for work. Every result is computed on demand, once per spec. */
export interface Readiness {
  /** Returns whether the spec is pending or failed, and nothing blocks it. */
  isReady(spec: Spec): boolean;
  /** Returns whether a key or value that planner does not read may forbid work, or the file is another one's copy. */
  isUnclear(spec: Spec): boolean;
  /** Returns the ids in `depends_on` that are not done, including unknown ones. */
  listUnmet(spec: Spec): readonly string[];
  /** Returns whether the spec is pending with an unfinished dependency. */
  isBlocked(spec: Spec): boolean;
  /** Returns the stored status, but `blocked` if `isBlocked`. */
  getEffectiveStatus(spec: Spec): string;
  /** Returns whether a filter matches: `ready` by `isReady`, another one by `getCountedStatus` of the status shown. */
  matchesFilter(spec: Spec, filter: FilterStatus): boolean;
  /** Returns the readiness as if these specs were not done. */
  without(ids: ReadonlySet<string>): Readiness;
}

const WORKABLE_STATUSES: ReadonlySet<string> = new Set(["pending", "failed"]);

/**
 * Computes which specs are ready for work.
 * @param specs the active specs (archived ones may be among them)
 * @param archivedIds ids that count as done, unless an active spec has the same id
 *
 * A spec is ready if it is pending or failed and
 * - every dependency is completed, cancelled or archived,
 * - its approval is given if it is required,
 * - no key looks like a field that may forbid work, `depends_on` is a list of ids, and the file is no copy that a synchroniser left,
 * - it is not a `group`, and all its members (listed, or named `<id>.<n>`) are done,
 * - for a member: its parent spec is not blocked itself, and its lower-numbered siblings are done unless it has its own
 * `depends_on`, even an empty one.
 *
 * Specs in a dependency cycle wait for each other, so none is ever ready. Cost: O(dependencies + members) in total.
 * Source: docs/decisions.md#s-09.
 */
export function computeReadiness(specs: readonly Spec[], archivedIds: ReadonlySet<string>): Readiness {
  const world = new ReadinessIndex(specs, archivedIds);
  return {
    isReady: (spec) => world.isReady(spec),
    isUnclear: (spec) => world.isUnclear(spec),
    listUnmet: (spec) => world.unmet(spec),
    isBlocked: (spec) => world.isBlocked(spec),
    getEffectiveStatus: (spec) => world.effectiveStatus(spec),
    matchesFilter: (spec, filter) =>
      filter === "ready" ? world.isReady(spec) : getCountedStatus(world.effectiveStatus(spec)) === filter,
    without: (ids) =>
      computeReadiness(
        specs.map((spec) => (ids.has(spec.id) ? { ...spec, status: "pending", archived: false } : spec)),
        new Set([...archivedIds].filter((id) => !ids.has(id))),
      ),
  };
}

class ReadinessIndex {
  readonly #specs: readonly Spec[];
  readonly #archivedIds: ReadonlySet<string>;
  readonly #unmet = new Map<Spec, readonly string[]>();
  readonly #open = new Map<string, boolean>();
  #byId: ReadonlyMap<string, Spec> | undefined;
  #children: ReadonlyMap<string, readonly Spec[]> | undefined;

  constructor(specs: readonly Spec[], archivedIds: ReadonlySet<string>) {
    this.#specs = specs;
    this.#archivedIds = archivedIds;
  }

  unmet(spec: Spec): readonly string[] {
    if (spec.dependsOn.length === 0) return spec.dependsOn;
    let unmet = this.#unmet.get(spec);
    if (unmet === undefined) {
      unmet = spec.dependsOn.filter((id) => !this.#isDone(id));
      this.#unmet.set(spec, unmet);
    }
    return unmet;
  }

  isBlocked(spec: Spec): boolean {
    return !spec.archived && spec.status === "pending" && this.unmet(spec).length > 0;
  }

  effectiveStatus(spec: Spec): string {
    return this.isBlocked(spec) ? "blocked" : spec.status;
  }

  isUnclear(spec: Spec): boolean {
    return (
      findNearFields(spec.frontmatter).some(({ isBlocking }) => isBlocking) ||
      !isIdList(spec.frontmatter["depends_on"]) ||
      findSecondBlock(spec.body) !== undefined ||
      findCopiedId(spec, (id) => this.#lookUp().has(id) || this.#archivedIds.has(id)) !== null
    );
  }

  isReady(spec: Spec): boolean {
    if (spec.archived || !WORKABLE_STATUSES.has(spec.status) || spec.type === "group") return false;
    if (this.unmet(spec).length > 0 || isAwaitingApproval(spec) || this.isUnclear(spec)) return false;
    return this.#membersDone(spec) && this.#parentAllows(spec);
  }

  #isDone(id: string): boolean {
    const spec = this.#lookUp().get(id);
    if (spec === undefined) return this.#archivedIds.has(id);
    return spec.archived || isDoneStatus(spec.status);
  }

  #membersDone(spec: Spec): boolean {
    return (
      spec.members.every((id) => this.#isDone(id)) && this.#childrenOf(spec.id).every(({ id }) => this.#isDone(id))
    );
  }

  #parentAllows(spec: Spec): boolean {
    const parentId = parseParentId(spec.id);
    if (parentId === undefined) return true;
    if (!Object.hasOwn(spec.frontmatter, "depends_on") && !this.#earlierDone(spec, parentId)) return false;
    return this.#lets(parentId);
  }

  #earlierDone(spec: Spec, parentId: string): boolean {
    const number = parseMemberNumber(spec.id);
    return this.#childrenOf(parentId).every(({ id }) => parseMemberNumber(id) >= number || this.#isDone(id));
  }

  /** Returns whether members of `id` may begin: its approval, its dependencies and its parents do not prevent it. */
  #lets(id: string): boolean {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const spec = this.#lookUp().get(id);
    const open =
      spec === undefined ||
      (!isAwaitingApproval(spec) &&
        this.unmet(spec).every((dependency) => dependency.startsWith(`${id}.`)) &&
        this.#parentAllows(spec));
    this.#open.set(id, open);
    return open;
  }

  #childrenOf(id: string): readonly Spec[] {
    if (this.#children === undefined) {
      const children = new Map<string, Spec[]>();
      for (const spec of this.#specs) {
        // Most ids are not members, and this test is cheaper than parsing the id.
        const parentId = spec.id.includes(".") ? parseParentId(spec.id) : undefined;
        if (parentId === undefined) continue;
        const siblings = children.get(parentId);
        if (siblings === undefined) children.set(parentId, [spec]);
        else siblings.push(spec);
      }
      this.#children = children;
    }
    return this.#children.get(id) ?? [];
  }

  #lookUp(): ReadonlyMap<string, Spec> {
    this.#byId ??= new Map(this.#specs.map((spec) => [spec.id, spec]));
    return this.#byId;
  }
}

function isIdList(value: unknown): boolean {
  return value == null || [value].flat().every((id) => typeof id === "string");
}

function isAwaitingApproval({ approval }: Spec): boolean {
  return approval?.required === true && approval.status !== "approved";
}
