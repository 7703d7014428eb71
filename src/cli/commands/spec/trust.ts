import { askOnTerminal, refuseInRun } from "../../accept_commands.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import type { OpenProject } from "../../open_project.ts";
import { plainLine } from "../../output/plain_text.ts";
import { print } from "../../output/print.ts";

export const command = defineCommand({
  summary: "Accept every command of this project, whoever wrote it",
  details:
    "For people whose agents have a shell without a sandbox anyway. Asks on the terminal. Kept outside of the repository, for this person and this machine; `planner doctor` shows it.",
  positionals: {},
  flags: { off: { type: "boolean", summary: "Accept only single commands again" } },
  examples: [
    { line: "planner trust", shows: "Accept every command of this project" },
    { line: "planner trust --off", shows: "Take that back" },
  ],
  async run({ off }, cli) {
    const project = await cli.project();
    refuseInRun(project.root, "trust a project");
    return (await trustProject(project, !off)) ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});

/** Asks on the terminal and notes the answer. Taking trust back asks nothing. @returns whether it was done */
async function trustProject({ context, root }: OpenProject, on: boolean): Promise<boolean> {
  const question = `Every command of ${plainLine(root)}, whoever writes it, will run without a question. Trust this project? [y/N] `;
  if (on && !askOnTerminal(question)) {
    print("Nothing was changed\n");
    return false;
  }
  await context.accepted.trust(on);
  print(on ? "Trusted: every command of this project is accepted\n" : "Single commands have to be accepted again\n");
  return true;
}
