import type { DcReader } from "#dc/ports.ts";
import { MerkleFrontier, parseFrontier } from "./merkle.ts";

/** Setting with the end of the archived part: hash of its last entry, and the tree up to there. */
export const AUDIT_BASE = "audit_base";

/** Where the change log begins: behind the last archived entry. */
export interface LogBase {
  readonly seq: number;
  readonly hash: string;
  readonly tree: MerkleFrontier;
}

/** Returns the beginning of the log; undefined when the setting cannot be read. */
export async function archiveBase(reader: DcReader): Promise<LogBase | undefined> {
  const text = await reader.setting(AUDIT_BASE);
  if (text === undefined) return { seq: 0, hash: "", tree: new MerkleFrontier() };
  const [hash = "", ...frontier] = text.split(" ");
  const tree = parseFrontier(frontier.join(" "));
  return tree === undefined ? undefined : { seq: tree.size, hash, tree };
}
