import { defineCommand } from "../../command.ts";
import { SCRIPTS, SHELLS } from "../../completion/scripts.ts";
import { print } from "../../output/print.ts";

export const command = defineCommand({
  summary: "Print the completion script of a shell: commands, flags, their values and spec ids",
  positionals: { shell: { summary: "Shell", required: true, options: SHELLS } },
  flags: {},
  examples: [
    { line: "source <(planner completion bash)", shows: "For ~/.bashrc" },
    { line: "source <(planner completion zsh)", shows: "For ~/.zshrc, after compinit" },
    { line: "planner completion fish | source", shows: "For ~/.config/fish/config.fish" },
    { line: "planner completion powershell | Out-String | Invoke-Expression", shows: "For $PROFILE" },
  ],
  async run({ shell }) {
    print(SCRIPTS[shell]);
  },
});
