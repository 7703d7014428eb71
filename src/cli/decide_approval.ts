import { type ApprovalDecision, decideApproval } from "#planner/operations/decide_approval.ts";
import type { Cli } from "./declaration.ts";
import { print, printJson, sanitizeLine } from "./output/print.ts";

interface DecisionOptions {
  readonly id: string;
  readonly by: string;
  readonly reason: string | undefined;
  readonly json: boolean;
}

/** Stores the approval or the rejection of a spec and prints it. */
export async function runApprovalDecision(
  status: ApprovalDecision["status"],
  words: DecisionOptions,
  cli: Cli,
): Promise<void> {
  const { id, by, reason, json } = words;
  const decided = await decideApproval(await cli.openContext(), id, { status, by, reason: reason ?? null });
  if (json) return printJson(decided);
  print(
    `${status === "approved" ? "Approved" : "Rejected"} spec: ${decided.spec_id} (by ${sanitizeLine(decided.by)})\n`,
  );
}
