import type { Agents } from "./agents.ts";
import type { Claims } from "./claims.ts";
import type { Differences } from "./differences.ts";
import type { GitLocks, Leftovers } from "./leftovers.ts";
import type { RunLogs } from "./logs.ts";
import type { ProcessRecords } from "./process_records.ts";
import type { Requests } from "./requests.ts";
import type { WatchFile } from "./watch_file.ts";
import type { Worktrees } from "./worktrees.ts";

/** All effects of a run. Every refusal is an `OperationError`. */
export interface RunPorts {
  readonly claims: Claims;
  readonly worktrees: Worktrees;
  readonly differences: Differences;
  readonly requests: Requests;
  readonly logs: RunLogs;
  readonly records: ProcessRecords;
  readonly agents: Agents;
  readonly watch: WatchFile;
  readonly leftovers: Leftovers;
  readonly gitLocks: GitLocks;
}
