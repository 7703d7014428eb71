import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { runSpec } from "#planner/runs/run_queue.ts";
import { fakeRuns, ID, wishes } from "../../../support/run_fakes.ts";

const CONFIG_WITH_COMMAND =
  "---\ndefaults: {provider: command}\nproviders: {command: {command: agent}}\nverify: {commands: ['true']}\n---\n";

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

test.each(["settle", "holds", "openSpecs", "commitSpec"] as const)(
  "a fault of planner after the agent's end, here of %s, is no failure of the run, which nobody pays for twice",
  async (method) => {
    for (const error of [
      new OperationError("unavailable", "git is away"),
      new SyntaxError("Invalid regular expression"),
    ]) {
      using runs = await fakeRuns();
      const worktree = await runs.deps.ports.worktrees.prepareWorktree(ID, { branchPrefix: "", mainBranch: null });
      runs.project.write(".planner/config.md", CONFIG_WITH_COMMAND);
      const end = async (): Promise<never> => Promise.reject(error);
      runs.script.agent = () =>
        void Object.assign(worktree, {
          [method]:
            method === "openSpecs"
              ? () => {
                  throw error;
                }
              : end,
        });

      const { status, reasons } = await runSpec(runs.deps, ID, wishes());

      expect({ status, spec: runs.status(), ends: runs.ends.map((one) => one.status) }).toEqual({
        status: "needs_attention",
        spec: "needs_attention",
        ends: ["failed"],
      });
      expect(reasons.join()).toContain(error.message);
      expect(runs.lines.join("\n")).toContain(error.message);
    }
  },
);
