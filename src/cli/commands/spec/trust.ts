import { requireOutsideRun, trustProject } from "../../accept_commands.ts";
import { booleanFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";

export const command = defineCommand({
  meta: { name: "trust", description: "Accept every command of this project, also those that agents write" },
  details:
    "For people whose agents have a shell without a sandbox anyway. Asks on the terminal. Kept outside of the repository, for this person and this machine; `planner doctor` shows it.",
  args: { off: booleanFlag("Accept only single commands again") },
  examples: {
    "planner trust": "Accept every command of this project",
    "planner trust --off": "Take that back",
  },
  async run({ args: { off }, cli }) {
    const project = await cli.openProject();
    requireOutsideRun(project.root, "trust a project");
    return (await trustProject(project, !off)) ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});
