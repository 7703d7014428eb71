import { OperationError } from "#kernel/errors.ts";
import type { SharedClaimOptions } from "#planner/store/remote_claims/remote_claims.ts";
import { confirmOnTerminal, requireOutsideRun } from "./accept_commands.ts";
import { booleanFlag } from "./args.ts";
import type { Cli } from "./declaration.ts";
import { UsageError } from "./usage_error.ts";

/** Flags of commands that take or finish claims shared with other clones. */
export const SHARED_CLAIM_FLAGS = {
  steal: booleanFlag("Take claims of other clones, after a question", { excludes: ["--offline"] }),
  offline: booleanFlag("Do not ask the remote who has the specs"),
} as const;

/** Asks before claims of other clones are taken. @throws OperationError after a no, without a terminal and in a run */
export async function confirmClaimOptions(
  { steal, offline }: SharedClaimOptions,
  cli: Cli,
): Promise<SharedClaimOptions> {
  if (!steal) return { steal, offline };
  const { context, root } = await cli.openProject();
  requireOutsideRun(root, "take claims of other clones");
  const { remote } = (await context.readConfig()).claims;
  if (remote === null) throw new UsageError('"--steal" needs setting "claims.remote"', null);
  if (!confirmOnTerminal(`Take these specs from whoever works on them in other clones of "${remote}"? [y/N] `)) {
    throw new OperationError("aborted", "Nothing was taken");
  }
  return { steal, offline };
}
