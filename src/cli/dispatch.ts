import { resolve } from "node:path";
import { setNoticeListener } from "#kernel/notices.ts";
import { BACKGROUND_START_VARIABLE } from "#planner/operations/shared/live_worker.ts";
import type { Cli, Command } from "./command.ts";
import { CommandTree, findCommandEntry, type TreeActions } from "./command_tree.ts";
import { COMMANDS, type CommandFamily, type CommandTable } from "./commands.ts";
import type { ExitStatus } from "./exit_status.ts";
import { print } from "./output/print.ts";
import type { StderrLogger } from "./output/stderr_logger.ts";
import { PROGRAM_FLAGS, parseArguments } from "./strict_command.ts";
import { createUsageError, UsageError } from "./usage_error.ts";
import { formatVersion } from "./version.ts";

/** Runs the command that the words name and returns the exit status; never rejects. */
export async function dispatchCommand(words: readonly string[]): Promise<ExitStatus> {
  try {
    return await new CommandTree(COMMANDS, ACTIONS).run(words);
  } catch (error) {
    await recordBackgroundError(error);
    const { reportError } = await import("./report_error.ts");
    return reportError(error);
  }
}

/** Records the error of a background process, whose standard error no person sees. */
async function recordBackgroundError(error: unknown): Promise<void> {
  if (process.env[BACKGROUND_START_VARIABLE] === undefined) return;
  const { recordEarlyError } = await import("./work/background_start.ts");
  await recordEarlyError(process.cwd(), error);
}

/** Commands that do not name texts of an earlier version: programs start them, or they name these themselves. */
const SILENT_COMMANDS: ReadonlySet<string> = new Set(["mcp", "doctor", "completion", "prime"]);

const ACTIONS: TreeActions = {
  async runCommand(name, command, words) {
    const { help, root, quiet, args } = parseArguments(name, command, words);
    if (help) return printCommandHelp(name, { command });
    const tells = !quiet && args["json"] !== true && !SILENT_COMMANDS.has(name);
    const cli = await openCli(command, { root, quiet, tells });
    // parseArguments has given the arguments the types that the command declares.
    return (await command.run(args as Parameters<Command["run"]>[0], cli)) ?? undefined;
  },
  // A family has no behaviour; it prints its help, or an error for a missing command.
  async runFamily(name, family, words) {
    if (parseArguments(name, NOTHING, words).help) return printCommandHelp(name, { family });
    const members = Object.keys(family.commands).join(", ");
    throw createUsageError(name, `Missing command after "planner ${name}": expected one of ${members}`);
  },
  runProgram,
  unlisted: {
    help: runHelp,
    // Prints completions for the shell scripts.
    async __complete(words) {
      const { printCompletion } = await import("./completion/print_completion.ts");
      await printCompletion(COMMANDS, words[0] === "--" ? words.slice(1) : words, process.cwd());
    },
  },
};

const NOTHING: Command = { summary: "", positionals: {}, flags: {}, examples: [], run: async () => {} };

async function runProgram(words: readonly string[]): Promise<void> {
  if (parseArguments("", { ...NOTHING, flags: PROGRAM_FLAGS }, words).args["version"] === true) {
    print(formatVersion());
    return;
  }
  const { formatProgramHelp } = await import("./help.ts");
  print(formatProgramHelp());
}

async function runHelp(words: readonly string[]): Promise<void> {
  const names = words.filter((word) => word !== "--help" && word !== "-h");
  if (names[0]?.startsWith("-") !== false) return runProgram(words);
  let table: CommandTable | undefined = COMMANDS;
  let found: Parameters<typeof printCommandHelp>[1] | undefined;
  for (const [index, word] of names.entries()) {
    if (table === undefined || word.startsWith("-"))
      throw new UsageError(`Unexpected argument "${word}": expected one command`, null);
    const entry: CommandTable[string] = findCommandEntry(table, names.slice(0, index + 1));
    found = "family" in entry ? await entry.family() : await entry.load();
    table = "family" in found ? found.family.commands : undefined;
  }
  if (found !== undefined) await printCommandHelp(names.join(" "), found);
}

async function printCommandHelp(
  name: string,
  found: { readonly command: Command } | { readonly family: CommandFamily },
): Promise<undefined> {
  const { formatCommandHelp, formatFamilyHelp } = await import("./help.ts");
  print("family" in found ? formatFamilyHelp(name, found.family) : formatCommandHelp(name, found.command));
}

interface CliOptions {
  readonly root: string | undefined;
  readonly quiet: boolean;
  /** True to name texts that an earlier version wrote into the project. */
  readonly tells: boolean;
}

async function openCli(command: Command, { root, quiet, tells }: CliOptions): Promise<Cli> {
  const cwd = process.cwd();
  const absoluteRoot = root === undefined ? undefined : resolve(cwd, root);
  const logger = command.isServedAtOnce === true ? { quiet, note() {}, warn() {} } : await openLogger(quiet);
  const cli: Cli = {
    ...logger,
    cwd,
    root: absoluteRoot,
    async openProject() {
      const { openProject, findUpgradeNote } = await import("./open_project.ts");
      const project = await openProject(cwd, absoluteRoot);
      const note = tells ? await findUpgradeNote(project.root, process.env) : null;
      if (note !== null) logger.note(note);
      return project;
    },
    async openContext() {
      return (await this.openProject()).context;
    },
  };
  return cli;
}

async function openLogger(quiet: boolean): Promise<StderrLogger> {
  const { openStderrLogger } = await import("./output/stderr_logger.ts");
  const logger = openStderrLogger(quiet);
  setNoticeListener((sentence) => logger.warn(sentence));
  return logger;
}
