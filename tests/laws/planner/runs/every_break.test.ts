import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { runSpec } from "#planner/runs/run_queue.ts";
import { fakeRuns, ID, wishes } from "../../../support/run_fakes.ts";

const STEPS = {
  "worktrees.prepareWorktree": "failed",
  "worktrees.writeStatus": "failed",
  "logs.open": "failed",
  "agents.start": "failed",
} as const;

test.each(Object.entries(STEPS))(
  "wherever a run breaks, here at %s, it has one end and gives up its claim",
  async (step, status) => {
    for (const error of [new OperationError("unavailable", "the disk is full"), new Error("a defect")]) {
      using runs = await fakeRuns();
      const [port, method] = step.split(".") as ["agents", "start"];
      runs.deps.ports[port][method] = () => Promise.reject(error);

      await runSpec(runs.deps, ID, wishes()).catch(() => {});

      expect({ status: runs.status(), ends: runs.ends.length, last: runs.others.at(-1) }).toEqual({
        status,
        ends: 1,
        last: "claim released",
      });
    }
  },
);
