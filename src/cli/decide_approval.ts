import { type ApprovalDecision, decideApproval } from "#planner/operations/decide_approval.ts";
import type { Cli } from "./command.ts";
import { plainLine } from "./output/plain_text.ts";
import { print, printJson } from "./output/print.ts";
import { UsageError } from "./usage_error.ts";

interface Words {
  readonly id: string;
  readonly by: string | undefined;
  readonly reason: string | undefined;
  readonly json: boolean;
}

/** Runs `planner approve` and `planner reject`. */
export async function runDecision(status: ApprovalDecision["status"], words: Words, cli: Cli): Promise<void> {
  const { id, by, reason, json } = words;
  if (by === undefined) throw missingFlag("by", "the name of who decides");
  if (status === "rejected" && reason === undefined) throw missingFlag("reason", "why");
  const decided = await decideApproval(await cli.planner(), id, { status, by, reason: reason ?? null });
  if (json) return printJson(decided);
  print(`${status === "approved" ? "Approved" : "Rejected"} spec: ${decided.spec_id} (by ${plainLine(decided.by)})\n`);
}

function missingFlag(flag: string, expected: string): UsageError {
  return new UsageError(`Missing flag "--${flag}": expected ${expected}`, null);
}
