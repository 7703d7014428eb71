import { PROVIDER_NAMES } from "#planner/config/provider_values.ts";
import { acceptTyped } from "../../accept_commands.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { AGENT_NAMES } from "../../init/agents.ts";
import { decideSetup } from "../../init/decide_setup.ts";
import { initRoot } from "../../init/init_root.ts";
import { reportSetup } from "../../init/report_setup.ts";
import { setUp } from "../../init/set_up.ts";
import { openProject } from "../../open_project.ts";

export const command = defineCommand({
  summary: "Set up .planner/ in this project and the MCP configuration of agents",
  details:
    "Asks questions on a terminal; uses defaults without a terminal, with --yes or with --agent. Existing files are extended, never replaced, so a second run only adds what is missing.",
  positionals: {},
  flags: {
    agent: {
      type: "enum",
      short: "a",
      multiple: true,
      options: AGENT_NAMES,
      summary: "Write this agent's MCP configuration",
    },
    name: {
      type: "string",
      value: "text",
      summary: "Name of the project (default: from its package file, else the folder)",
    },
    prompts: { type: "boolean", summary: "Add the prompt template (the default)" },
    "no-prompts": { type: "boolean", summary: "Add no prompt template" },
    hook: { type: "boolean", summary: "Install the git hook that checks specs before every commit" },
    "no-hook": { type: "boolean", summary: "Install no git hook (the default)" },
    guide: {
      type: "boolean",
      summary: "Add instructions for agents to AGENTS.md; for claude also a skill and commands",
    },
    "no-guide": { type: "boolean", summary: "Add no instructions for agents (the default)" },
    provider: {
      type: "enum",
      options: PROVIDER_NAMES,
      summary: "Agent that works on specs (default: the only one that is installed)",
    },
    yes: { type: "boolean", short: "y", summary: "Ask nothing" },
  },
  examples: [
    { line: "planner init", shows: "Set up a project interactively" },
    { line: "planner init --agent claude --agent cursor", shows: "Set up two agents without questions" },
    { line: "planner init --yes --hook", shows: "Use defaults and check specs before every commit" },
  ],
  async run(words, cli) {
    const root = initRoot(cli);
    const setup = await decideSetup(root, words);
    if (setup === undefined) {
      cli.warn("Nothing was written");
      return EXIT_STATUS.interrupted;
    }
    reportSetup(cli, root, await setUp(root, setup));
    const { context } = await openProject(root, root);
    await acceptTyped(
      { context, root },
      setup.setup.map(({ command }) => ({ kind: "setup", text: command })),
    );
    return EXIT_STATUS.ok;
  },
});
