import { expect, test } from "bun:test";
import { PLANNER } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";
import { workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";

test.skipIf(NO_PSEUDO_TERMINAL !== null)(
  "a running spec has a live line on a terminal, and Ctrl-C ends it",
  async () => {
    using project = await workProject({ plan: { "*": ["say:sawing \u001b[31mplanks", "hang"] } });
    await project.add(A);

    const { code, screen } = await runOnTerminal([...PLANNER, "work", A], {
      cwd: project.root,
      typing: [{ after: "planks", keys: "\u0003" }],
    });

    expect(code).toBe(130);
    expect(screen).toMatch(new RegExp(`0 of 1 done, 1 running\\r\\n${A} +0:\\d\\d +sawing planks`));
    expect(screen).toContain(`${A}: pending: interrupted before the agent was done`);
    expect(project.field(A, "status")).toBe("pending");
  },
);
