/**
 * Uses the run ports of a project line by line: `bun use_runs.ts <root>`. Each line of standard input is a JSON list of
 * an operation and its words; each is answered by one line of JSON. It keeps its claims until it is told or ended.
 */

import { OperationError } from "#kernel/errors.ts";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openRuns } from "#planner/store/processes/open_runs.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";

const [root = ""] = process.argv.slice(2);
const runs = openRuns(root, { now: () => new Date() }, async () => DEFAULT_CONFIG);
const claims = new Map<string, Claim>();

type Operation = (id: SpecId, word: string) => Promise<unknown>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  async claim(id) {
    const answer = await runs.claims.claim(id, `${id}-${process.pid}`);
    if ("heldBy" in answer) return { won: false, by: answer.heldBy.pid };
    claims.set(id, answer.claim);
    return { won: true, tookOver: answer.tookOver?.pid ?? null };
  },
  async release(id) {
    await claims.get(id)?.release();
    return claims.delete(id);
  },
  record: (id) => {
    const started_at = new Date().toISOString();
    const process_id = `${id}-${process.pid}`;
    return runs.records.startRecord({ process_id, spec_id: id, pid: process.pid, started_at, mode: "single" });
  },
  async agent(id, word) {
    const [program = "", ...args] = word.split(" ");
    const processId = `${id}-${process.pid}`;
    const agent = await runs.agents.start({ argv: [program, ...args], cwd: root, processId });
    await claims.get(id)?.recordAgent(agent.mark);
    return agent.mark;
  },
  prepare: (id) => runs.worktrees.prepareWorktree(id, { branchPrefix: "planner/", mainBranch: null }),
};

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

let rest = "";
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const [operation = "", id = "", word = ""] = JSON.parse(line) as string[];
    const run = OPERATIONS[operation];
    if (run === undefined) throw new Error(`No such operation: ${operation}`);
    const result = await run(id as SpecId, word).catch((error: unknown) => {
      if (error instanceof OperationError) return { refused: error.kind, message: error.message };
      throw error;
    });
    answer(result);
  }
}
