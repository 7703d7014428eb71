/** How something is. `unknown` is a separate state: what is not recorded is never shown as good or as 0. */
export type State = "ok" | "watch" | "fault" | "info" | "unknown";

/** State of a share of a limit in percent: amber from 80 unless said otherwise, red from 100. One rule for every figure and picture. */
export function stateOfShare(share: number | undefined, watchAt = 80): State | undefined {
  if (share === undefined) return "unknown";
  return share >= 100 ? "fault" : share >= watchAt ? "watch" : undefined;
}
