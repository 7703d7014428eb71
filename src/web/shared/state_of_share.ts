import { judgeShare } from "#kernel/judge_share.ts";

/** State of an object or value. `unknown` is a separate state: unrecorded values are never shown as good or as 0. */
export type State = "ok" | "watch" | "fault" | "info" | "unknown";

/** State of a share of a limit in percent, as pictures judge it; undefined for one that is not worth a sign. */
export function stateOfShare(share: number | undefined): State | undefined {
  const state = judgeShare(share);
  return state === "ok" ? undefined : state;
}
