import type { ClaimHolder } from "#planner/run_ports/claims.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { AGENT_GRACE_MS } from "../../limits.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { endStaleClaim, PROCESS_GONE_REASON } from "../claims.ts";
import { keepCutOffRecord } from "../run/keep_record.ts";
import type { RepairDeps } from "../run_types.ts";
import { endInterruptedRun, type ProjectProblem } from "./trouble.ts";

/** Finds claims whose holder has ended. The repair also ends agents that the holder left running. */
export async function findStaleClaims(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
  const { claims } = deps.ports;
  const found: ProjectProblem[] = [];
  for (const id of await claims.listIds()) {
    const holder = await claims.readHolder(id);
    if (holder === null || holder.alive) continue;
    found.push({
      kind: "stale_claim",
      subject: `.planner/locks/${id}.lock`,
      message: `process ${holder.pid}, which claimed the spec, is gone`,
      advice: null,
      repair: () => releaseClaim(deps, id, holder),
    });
  }
  return found;
}

async function releaseClaim(deps: RepairDeps, id: SpecId, holder: ClaimHolder): Promise<string | null> {
  let spec: string | null = null;
  const ended = await endStaleClaim(deps, { id, holder }, async () => {
    spec = await endInterruptedRun(deps, id);
  });
  if (ended === null) return null;
  return ["released the claim", ...describeEndedProcesses(ended), ...(spec === null ? [] : [spec])].join(", ");
}

function describeEndedProcesses(ended: number): readonly string[] {
  return ended === 0 ? [] : [`ended ${formatCountWithNoun(ended, "process")} that it had left`];
}

/** Finds records with status `running` whose process has ended. */
export async function findDeadRecords(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
  const { ports } = deps;
  return (await ports.records.listDeadRecords()).map(({ process_id, spec_id, pid }) => ({
    kind: "dead_record",
    subject: `.planner/processes/${process_id}.json`,
    message: `process ${pid} is gone without an end`,
    advice: null,
    async repair() {
      const ended = await ports.agents.endRun({ processId: process_id, agent: null }, AGENT_GRACE_MS);
      const holder = await ports.claims.readHolder(spec_id as SpecId);
      const held = holder?.alive === true;
      if (!held)
        await keepCutOffRecord(deps, spec_id as SpecId, { processId: process_id, reason: PROCESS_GONE_REASON });
      const spec = held ? null : await endInterruptedRun(deps, spec_id as SpecId);
      const status = (await ports.records.endDeadRecord(process_id))?.status;
      // Another reader may have repaired the record meanwhile.
      const record = status === undefined ? "the record has its end" : `marked the record ${status}`;
      return [record, ...describeEndedProcesses(ended), ...(spec === null ? [] : [spec])].join(", ");
    },
  }));
}

/** Finds a `.planner/watch.pid` that names an ended process. */
export async function findStaleWatchFile({ ports: { watch } }: RepairDeps): Promise<readonly ProjectProblem[]> {
  const holder = await watch.readHolder();
  if (holder === null || holder.alive) return [];
  return [
    {
      kind: "stale_watch",
      subject: ".planner/watch.pid",
      message: holder.pid === 0 ? "it names no process" : `watch process ${holder.pid} is gone`,
      advice: null,
      repair: async () => ((await watch.clearStale()) ? "removed it" : null),
    },
  ];
}
