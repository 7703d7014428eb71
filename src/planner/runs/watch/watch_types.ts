import type { SpecId } from "../../spec/spec_id.ts";
import type { MergeResult } from "../merge/merge_result.ts";

/** Events of watch; `--json` prints them. */
export type WatchEvent =
  | { readonly event: "started"; readonly pid: number }
  | ({ readonly event: "merge" } & MergeResult)
  | { readonly event: "repaired"; readonly subject: string; readonly message: string }
  /** A driver or a group whose members are done. */
  | { readonly event: "closed"; readonly spec_id: SpecId; readonly message: string }
  | { readonly event: "retry"; readonly spec_id: SpecId; readonly process_id: string; readonly pid: number }
  | { readonly event: "note"; readonly message: string }
  | { readonly event: "ended"; readonly reason: WatchEnd };

/** `lost`: another process has removed or taken the PID file. */
export type WatchEnd = "once" | "stopped" | "idle" | "lost";

export interface RoundResult {
  /** Whether something was done, runs, or is going to be retried: no reason to end. */
  readonly busy: boolean;
  /** Whether finished work could not be merged. */
  readonly unmerged: boolean;
}
