import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { findStartObstacles } from "#planner/operations/shared/start_checks.ts";
import { findRoot } from "#planner/store/project/places.ts";
import { defineCommand } from "../../command.ts";
import { acceptTypedCommands, offerTrust } from "../../consent.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { decideSetup, INIT_FLAGS } from "../../init/decide_setup.ts";
import { type SetupStep, setUpProject } from "../../init/set_up.ts";
import { openProject, requireExistingFolder } from "../../open_project.ts";
import { paint, sanitizeLine } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";

/** Prints one line per file, then the next steps. */
function printSetup(cli: Cli, root: string, steps: readonly SetupStep[]): void {
  for (const { file, outcome, note } of steps) {
    const said = outcome === "created" || outcome === "extended" ? paint(outcome, "green") : paint("kept", "dim");
    printText(`${said} ${sanitizeLine(file)}${formatOutcomeNote(outcome, note)}\n`);
  }
  for (const { file, outcome } of steps) {
    if (outcome === "other") cli.warn(`"${file}" has another entry "planner", which is kept`);
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
  meta: { name: "init", description: "Set up .planner/ in this project and the MCP configuration of agents" },
  details:
    "Asks questions on a terminal; uses defaults without a terminal, with --yes or with --agent. Existing files are extended, never replaced, so a second run only adds what is missing.",
  args: INIT_FLAGS,
  examples: {
    "planner init": "Set up a project interactively",
    "planner init --agent claude --agent cursor": "Set up two agents without questions",
    "planner init --yes --hook": "Use defaults and check specs before every commit",
  },
  async run({ args: words, cli }) {
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

/** Returns the folder for `init`: `--root`, else the root of the surrounding project in this repository, else `cwd`. */
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
