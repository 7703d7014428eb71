import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { PROVIDER_NAMES } from "#planner/config/config_values.ts";
import { findStartObstacles } from "#planner/operations/shared/start_checks.ts";
import { findRoot } from "#planner/store/project/find_root.ts";
import { acceptTypedCommands } from "../../accept_commands.ts";
import { type Cli, defineCommand } from "../../command.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { booleanFlag, enumFlag, textFlag } from "../../flags.ts";
import { AGENT_NAMES } from "../../init/agents.ts";
import { decideSetup } from "../../init/decide_setup.ts";
import { type SetupStep, setUpProject } from "../../init/set_up.ts";
import { openProject, requireExistingFolder } from "../../open_project.ts";
import { sanitizeLine } from "../../output/plain_text.ts";
import { paint } from "../../output/terminal.ts";
import { printText } from "../../output/wrap_text.ts";
import { offerTrust } from "../../trust_project.ts";

const OUTCOME_WORDS: Record<SetupStep["outcome"], string> = {
  created: "created",
  extended: "extended",
  present: "kept",
  other: "kept",
};

/** Prints one line per file, then the next steps. */
function printSetup(cli: Cli, root: string, steps: readonly SetupStep[]): void {
  for (const { file, outcome, note } of steps) {
    const said =
      outcome === "present" || outcome === "other"
        ? paint(OUTCOME_WORDS[outcome], "dim")
        : paint(OUTCOME_WORDS[outcome], "green");
    printText(`${said} ${sanitizeLine(file)}${formatOutcomeNote(outcome, note)}\n`);
  }
  for (const { file, outcome } of steps) {
    if (outcome === "other") {
      cli.warn(`"${file}" has another entry "planner", which is kept`);
    }
  }
  if (steps.every(({ outcome }) => outcome === "present")) cli.note(`Everything exists already in ${root}`);
  else cli.note('Next: planner add "<what is to be done>"');
}

function formatOutcomeNote(outcome: SetupStep["outcome"], note: string | null): string {
  if (outcome === "present") return " (already there)";
  if (outcome === "other") return " (has another entry)";
  return note === null ? "" : ` (${note})`;
}

export const command = defineCommand({
  summary: "Set up .planner/ in this project and the MCP configuration of agents",
  details:
    "Asks questions on a terminal; uses defaults without a terminal, with --yes or with --agent. Existing files are extended, never replaced, so a second run only adds what is missing.",
  flags: {
    agent: enumFlag(AGENT_NAMES, "Write this agent's MCP configuration", { short: "a", multiple: true }),
    name: textFlag("text", "Name of the project (default: from its package file, else the folder)"),
    prompts: booleanFlag("Add the prompt template (the default)"),
    "no-prompts": booleanFlag("Add no prompt template", { excludes: ["--prompts"] }),
    hook: booleanFlag("Install the git hook that checks specs before every commit"),
    "no-hook": booleanFlag("Install no git hook (the default)", { excludes: ["--hook"] }),
    guide: booleanFlag("Add instructions for agents to AGENTS.md; for claude also a skill and commands"),
    "no-guide": booleanFlag("Add no instructions for agents (the default)", { excludes: ["--guide"] }),
    provider: enumFlag(PROVIDER_NAMES, "Agent that works on specs (default: the only one that is installed)"),
    yes: booleanFlag("Ask nothing", { short: "y" }),
  },
  examples: [
    { line: "planner init", shows: "Set up a project interactively" },
    { line: "planner init --agent claude --agent cursor", shows: "Set up two agents without questions" },
    { line: "planner init --yes --hook", shows: "Use defaults and check specs before every commit" },
  ],
  async run(words, cli) {
    const root = selectInitRoot(cli);
    const setup = await decideSetup(root, words);
    if (setup === undefined) {
      cli.warn("Nothing was written");
      return EXIT_STATUS.interrupted;
    }
    const steps = await setUpProject(root, setup);
    printSetup(cli, root, steps);
    const { context } = await openProject(root, root);
    const project = { context, root };
    await acceptTypedCommands(
      project,
      setup.setup.map(({ command }) => ({ kind: "setup", text: command })),
    );
    if (!words.yes && words.agent.length === 0) await offerTrust(project);
    if (steps.every(({ outcome }) => outcome !== "created")) return EXIT_STATUS.ok;
    for (const trouble of await findStartObstacles(context)) cli.note(`No agent can run yet: ${trouble}`);
    return EXIT_STATUS.ok;
  },
});

/**
 * Returns the folder in which `init` works: `--root`, otherwise the root of the project around the working directory,
 * otherwise the working directory. Ignores a project outside the git repository, such as `.planner` in the home folder.
 */
function selectInitRoot(cli: Cli): string {
  if (cli.root !== undefined) {
    requireExistingFolder(cli.root);
    return cli.root;
  }
  const found = findRoot(cli.cwd);
  if (found === undefined || found === cli.cwd) return cli.cwd;
  const repository = findRepositoryRoot(cli.cwd);
  if (repository !== undefined && relative(repository, found).startsWith("..")) return cli.cwd;
  cli.note(`Using the project in ${found}; \`planner init --root .\` makes one here`);
  return found;
}

/** Returns the folder of the git repository or worktree around `folder`; undefined outside any. */
function findRepositoryRoot(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current;
    if (dirname(current) === current) return undefined;
  }
}
