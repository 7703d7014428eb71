/** State of an object or value. `unknown` is a separate state: unrecorded values are never shown as good or as 0. */
export type State = "ok" | "watch" | "fault" | "info" | "unknown";

/** State of a share of a limit in percent: red from 100, amber from 80. All figures and pictures use it. */
export function stateOfShare(share: number | undefined): State | undefined {
  if (share === undefined) return "unknown";
  return share >= 100 ? "fault" : share >= 80 ? "watch" : undefined;
}
