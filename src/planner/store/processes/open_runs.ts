import type { Clock } from "#kernel/clock.ts";
import type { RunPorts } from "#planner/run_ports/run_ports.ts";
import { openGitLocks } from "../git/git_locks.ts";
import { openRunLogs } from "../logs/log_writer.ts";
import { openWorktrees } from "../worktrees/worktrees.ts";
import { openAgents } from "./agent_process.ts";
import { openClaims } from "./claims.ts";
import { openLeftovers } from "./leftovers.ts";
import { openProcessRecords } from "./record_writer.ts";
import { openWatchFile } from "./watch_file.ts";

/** Opens everything that runs of the project in `root`, an absolute path, do to the world. */
export function openRuns(root: string, clock: Clock): RunPorts {
  return {
    claims: openClaims(root, clock),
    worktrees: openWorktrees(root, clock),
    logs: openRunLogs(root, clock),
    records: openProcessRecords(root, clock),
    agents: openAgents(root),
    watch: openWatchFile(root),
    leftovers: openLeftovers(root),
    gitLocks: openGitLocks(root),
  };
}
