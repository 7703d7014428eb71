import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";

/** Why there is no work of a spec to look at or to merge, and what to do next. */
export function describeMissingWork({ id, status }: Pick<Spec, "id" | "status">): string {
  return `its status is ${status}, and it has no worktree: ${NEXT[status]?.(id) ?? `"planner show ${id}" shows it`}`;
}

const NEXT: Readonly<Record<string, (id: SpecId) => string>> = {
  pending: (id) => `"planner work ${id}" begins it`,
  blocked: (id) => `"planner diagnose ${id}" names what it waits for`,
  in_progress: (id) => `"planner work ${id}" goes on with it, "planner finalize ${id}" completes it`,
  completed: (id) => `its work is in your branch: "planner verify ${id} --record" shows how it ended`,
};
