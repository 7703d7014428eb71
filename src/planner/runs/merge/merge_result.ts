import type { SpecId } from "../../spec/spec_id.ts";

/** What became of one spec's branch. */
export type MergeResult =
  /** The main branch has it; worktree and branch are gone, or kept for the reason in `kept`. */
  | {
      readonly spec_id: SpecId;
      readonly outcome: "merged" | "nothing";
      readonly commits: readonly string[];
      readonly kept: string | null;
    }
  /** Branch and worktree are as before, the spec needs attention. */
  | {
      readonly spec_id: SpecId;
      readonly outcome: "conflict";
      readonly files: readonly string[];
      readonly advice: string;
    }
  /** Nothing was touched. */
  | { readonly spec_id: SpecId; readonly outcome: "refused"; readonly reason: string };

/** Why a spec was not merged and, where it lies in conflict, what to do. */
export function refusalText(result: Extract<MergeResult, { readonly outcome: "refused" | "conflict" }>): string {
  const begin = `Cannot merge spec '${result.spec_id}'`;
  if (result.outcome === "refused") return `${begin}: ${result.reason}`;
  return `${begin}: conflict in ${result.files.join(", ")}: ${result.advice}`;
}
