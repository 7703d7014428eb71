import { judgeShare } from "#kernel/judge_share.ts";

/** State of an object or value. `unknown` is a separate state: unrecorded values are never shown as good or as 0. */
export type State = "ok" | "watch" | "fault" | "info" | "unknown";

/** Returns the state of a share of a limit in percent, by the rule of the pictures; undefined if it needs no mark. */
export function getVisibleShareState(share: number | undefined): State | undefined {
  const state = judgeShare(share);
  return state === "ok" ? undefined : state;
}
