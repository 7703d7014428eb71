import { findRoot, isInitialised } from "#planner/store/project/find_root.ts";
import { GUIDE } from "#planner/work/guide.ts";
import { defineCommand } from "../../command.ts";
import { print } from "../../print.ts";

export const command = defineCommand({
  summary: "Print how an agent works with specs, for the hook that runs when its session begins",
  details:
    "Prints nothing outside of a project, so that a hook for all projects can call it. `planner init --guide` writes the same text into AGENTS.md.",
  positionals: {},
  flags: {},
  examples: [{ line: "planner prime", shows: "the text; in Claude Code as a SessionStart hook" }],
  async run(_, { root, cwd }) {
    const found = root ?? findRoot(cwd);
    if (found !== undefined && isInitialised(found)) print(GUIDE);
  },
});
