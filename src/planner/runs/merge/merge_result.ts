import type { SpecId } from "../../spec/spec_id.ts";

/** The main branch has the work of a spec. */
export interface Merged {
  readonly spec_id: SpecId;
  /** `found`: it was merged elsewhere, as the one commit that is named. */
  readonly outcome: "merged" | "nothing" | "found";
  readonly commits: readonly string[];
  /** Why worktree and branch were kept; null if they are gone. */
  readonly kept: string | null;
  /** Notes for a person, one sentence each. */
  readonly notes: readonly string[];
}

/** Result for one spec's branch. */
export type MergeResult =
  | Merged
  /** Branch and worktree are as before, the spec needs attention. */
  | {
      readonly spec_id: SpecId;
      readonly outcome: "conflict";
      readonly files: readonly string[];
      readonly advice: string;
    }
  /** Nothing was touched. */
  | { readonly spec_id: SpecId; readonly outcome: "refused"; readonly reason: string };

/** Returns the reason why a spec was not merged and, after a conflict, the remedy. */
export function refusalText(result: Extract<MergeResult, { readonly outcome: "refused" | "conflict" }>): string {
  const begin = `Cannot merge spec '${result.spec_id}'`;
  if (result.outcome === "refused") return `${begin}: ${result.reason}`;
  return `${begin}: conflict in ${result.files.join(", ")}: ${result.advice}`;
}
