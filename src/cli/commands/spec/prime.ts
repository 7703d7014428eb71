import { findRoot, isInitialised } from "#planner/store/project/find_root.ts";
import { GUIDE } from "#planner/work/guide.ts";
import { defineCommand } from "../../command.ts";
import { print } from "../../output/print.ts";

export const command = defineCommand({
  summary: "Print instructions for agents, for the hook that runs when a session begins",
  details:
    "Prints nothing outside of a project, so one hook can serve all projects. `planner init --guide` writes the same text into AGENTS.md.",
  positionals: {},
  flags: {},
  examples: [{ line: "planner prime", shows: "Print the text; in Claude Code a SessionStart hook" }],
  async run(_, { root, cwd }) {
    const found = root ?? findRoot(cwd);
    if (found !== undefined && isInitialised(found)) print(GUIDE);
  },
});
