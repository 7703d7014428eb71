import { BACKGROUND_START_VARIABLE } from "#planner/operations/shared/live_worker.ts";
import { defineFamily, lazy, runTree } from "./command.ts";
import {
  type Command,
  type Family,
  type FamilyDeclaration,
  findMember,
  loadMember,
  type Members,
} from "./declaration.ts";
import { print } from "./output/print.ts";
import { PROGRAM_FLAGS, parseArguments } from "./strict_command.ts";
import { UsageError } from "./usage_error.ts";
import { formatVersion } from "./version.ts";

/**
 * Every command in the order of `planner --help`, by the title of its group. A command is loaded only when it runs. To
 * add one, write a file that exports `command` and add a row here or in its family. Source: docs/decisions.md#s-28.
 */
export const COMMANDS: Readonly<Record<string, Members>> = {
  Project: {
    init: lazy("Set up .planner/ and the agents' MCP configuration", () => import("./commands/spec/init.ts")),
    demo: lazy(
      "Show the board of a sample project with agents at work",
      () => import("./commands/spec/board_pages.ts"),
      "demo",
    ),
    config: lazy("Show or check the settings", () => import("./commands/spec/config.ts")),
    schema: lazy("Print the frontmatter's JSON Schema for editors", () => import("./commands/spec/texts.ts"), "schema"),
    hook: lazy("Check the staged specs before each git commit", () => import("./commands/spec/hook.ts")),
    prime: lazy("Print how agents use specs", () => import("./commands/spec/texts.ts"), "prime"),
    completion: lazy("Print the completion script of a shell", () => import("./commands/spec/texts.ts"), "completion"),
    licenses: lazy(
      "Print the licences of what this executable contains",
      () => import("./commands/spec/texts.ts"),
      "licenses",
    ),
  },
  Specs: {
    add: lazy("Create a spec and lint it", () => import("./commands/spec/add.ts")),
    list: lazy("List the active specs", () => import("./commands/spec/list.ts")),
    show: lazy("Show one spec", () => import("./commands/spec/show.ts")),
    edit: lazy("Edit a spec in your editor", () => import("./commands/spec/edit.ts")),
    ready: lazy("List the specs that can be worked on now", () => import("./commands/spec/ready.ts")),
    search: lazy("Find specs that contain a text", () => import("./commands/spec/search.ts")),
    graph: lazy("Show what waits for what", () => import("./commands/spec/graph.ts")),
    status: lazy("Count the specs by status", () => import("./commands/spec/status.ts")),
  },
  Agents: {
    work: lazy("Run agents on specs", () => import("./commands/spec/work.ts"), "work"),
    board: lazy("Show and steer all work in a browser", () => import("./commands/spec/board_pages.ts"), "board"),
    pause: lazy("Stop the agent of a spec", () => import("./commands/spec/state.ts"), "pause"),
    takeover: lazy("Stop the agent and continue by hand", () => import("./commands/spec/state.ts"), "takeover"),
    split: lazy("Split a large spec", () => import("./commands/spec/work.ts"), "split"),
    review: lazy("Accept work, send it back or reject it", () => import("./commands/spec/review.ts")),
    pr: lazy("Make a pull request of finished work", () => import("./commands/spec/pr.ts")),
    merge: lazy("Merge finished work", () => import("./commands/spec/merge.ts")),
    watch: lazy("Merge and retry specs continuously", () => import("./commands/spec/work.ts"), "watch"),
  },
  State: {
    update: lazy("Change status, fields or body", () => import("./commands/spec/update.ts")),
    check: lazy("Check one criterion", () => import("./commands/spec/check.ts")),
    finalize: lazy("Mark a spec completed", () => import("./commands/spec/finalize.ts")),
    reset: lazy("Set a failed spec back to pending", () => import("./commands/spec/state.ts"), "reset"),
    cancel: lazy("Cancel a spec", () => import("./commands/spec/state.ts"), "cancel"),
    approve: lazy(
      "Accept commands of checks and settings, or approve a spec",
      () => import("./commands/spec/approve.ts"),
      "approve",
    ),
    trust: lazy("Accept every command of a project", () => import("./commands/spec/approve.ts"), "trust"),
    reject: lazy("Reject a spec", () => import("./commands/spec/approve.ts"), "reject"),
    archive: lazy("Move a completed spec to the archive", () => import("./commands/spec/state.ts"), "archive"),
  },
  Checks: {
    lint: lazy("Check specs against the schema and the rules", () => import("./commands/spec/lint.ts")),
    verify: lazy("Check acceptance criteria or output", () => import("./commands/spec/verify.ts")),
    diagnose: lazy("Check why a spec makes no progress", () => import("./commands/spec/diagnose.ts")),
    doctor: lazy("Find and repair leftovers of killed processes", () => import("./commands/spec/doctor.ts")),
    log: lazy("Show or follow a spec's log", () => import("./commands/spec/log.ts")),
    usage: lazy("Sum up tokens and cost", () => import("./commands/spec/usage.ts")),
  },
  Exchange: {
    export: lazy("Write specs as JSON, CSV or Markdown", () => import("./commands/spec/export.ts")),
    import: lazy("Import specs, or the tasks of another tool", () => import("./commands/spec/import.ts")),
    mcp: lazy("Serve the tools to an agent (MCP)", () => import("./commands/spec/mcp.ts")),
  },
  Datacenter: { dc: lazy("Run the datacenter service and its tools", () => import("./commands/dc/index.ts")) },
};

const PROGRAM: FamilyDeclaration = {
  meta: { name: "" },
  subCommands: Object.assign({}, ...Object.values(COMMANDS)),
  examples: {},
};

/** The tree of all commands. */
export const program: Family = defineFamily(PROGRAM, { help: printHelp, __complete: complete }, runProgram);

/** Runs the command that the words name and sets the process's exit status; never rejects. */
export async function runWords(words: readonly string[]): Promise<void> {
  try {
    await runTree(program, words);
  } catch (error) {
    await recordBackgroundError(error);
    const { reportError } = await import("./report_error.ts");
    process.exitCode = reportError(error);
  }
}

/** Records the error of a background process, whose standard error no person sees. */
async function recordBackgroundError(error: unknown): Promise<void> {
  if (process.env[BACKGROUND_START_VARIABLE] === undefined) return;
  const { recordEarlyError } = await import("./work/background_start.ts");
  await recordEarlyError(process.cwd(), error);
}

/** Prints completions for the shell scripts. */
async function complete(words: readonly string[]): Promise<void> {
  const { printCompletion } = await import("./completion/print_completion.ts");
  await printCompletion(PROGRAM, words[0] === "--" ? words.slice(1) : words, process.cwd());
}

async function runProgram(words: readonly string[]): Promise<void> {
  if (parseArguments({ args: PROGRAM_FLAGS }, words).args["version"] === true) {
    print(formatVersion());
    return;
  }
  const { formatProgramHelp } = await import("./help.ts");
  print(formatProgramHelp(COMMANDS));
}

async function printHelp(words: readonly string[]): Promise<void> {
  const names = words.filter((word) => word !== "--help" && word !== "-h");
  if (names[0]?.startsWith("-") !== false) return runProgram(words);
  let found: Command | Family = program;
  for (const name of names) {
    if (!("family" in found) || name.startsWith("-"))
      throw new UsageError(`Unexpected argument "${name}": expected one command`, null);
    found = await loadMember(findMember(found.family, name));
  }
  const { formatCommandHelp, formatFamilyHelp } = await import("./help.ts");
  print("family" in found ? formatFamilyHelp(found.family) : formatCommandHelp(found.declaration));
}
