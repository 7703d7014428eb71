import { PROVIDER_NAMES } from "#planner/config/provider_values.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { AGENT_NAMES } from "../../init/agents.ts";
import { decideSetup } from "../../init/decide_setup.ts";
import { initRoot } from "../../init/init_root.ts";
import { reportSetup } from "../../init/report_setup.ts";
import { setUp } from "../../init/set_up.ts";

export const command = defineCommand({
  summary: "Set up .planner/ in this project and the MCP configuration of agents",
  details:
    "Asks on a terminal; takes defaults without one, with --yes or with --agent. Existing files are extended, never replaced, so running it again only adds what is missing.",
  positionals: {},
  flags: {
    agent: {
      type: "enum",
      short: "a",
      multiple: true,
      options: AGENT_NAMES,
      summary: "Write this agent's MCP configuration",
    },
    name: { type: "string", value: "text", summary: "Name of the project; else its package file's or the folder's" },
    prompts: { type: "boolean", summary: "Add the prompt template (the default)" },
    "no-prompts": { type: "boolean", summary: "Add no prompt template" },
    hook: { type: "boolean", summary: "Install the git hook that checks specs before every commit" },
    "no-hook": { type: "boolean", summary: "Install no git hook (the default)" },
    guide: {
      type: "boolean",
      summary: "Say in AGENTS.md, and for claude in a skill and commands, how to work with specs",
    },
    "no-guide": { type: "boolean", summary: "Write nothing of that kind (the default)" },
    provider: {
      type: "enum",
      options: PROVIDER_NAMES,
      summary: "The agent that works specs; else the only one there is",
    },
    yes: { type: "boolean", short: "y", summary: "Ask nothing" },
  },
  examples: [
    { line: "planner init", shows: "a few questions, then a project" },
    { line: "planner init --agent claude --agent cursor", shows: "no questions; two agents reach the project" },
    { line: "planner init --yes --hook", shows: "defaults, and specs are checked before every commit" },
  ],
  async run(words, cli) {
    const root = initRoot(cli);
    const setup = await decideSetup(root, words);
    if (setup === undefined) {
      cli.warn("Nothing was written");
      return EXIT_STATUS.interrupted;
    }
    reportSetup(cli, root, await setUp(root, setup));
    return EXIT_STATUS.ok;
  },
});
