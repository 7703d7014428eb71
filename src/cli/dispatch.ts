import { resolve } from "node:path";
import { type CommandDef, defineCommand, runCommand } from "citty";
import { OperationError } from "#kernel/errors.ts";
import { setNoticeListener } from "#kernel/notices.ts";
import { BACKGROUND_START_VARIABLE } from "#planner/operations/shared/start_background.ts";
import { convertToDiskError } from "#planner/store/files/disk_error.ts";
import type { Cli, Command } from "./command.ts";
import { COMMANDS, type CommandFamily } from "./commands.ts";
import { EXIT_STATUS, type ExitStatus, getErrorStatus } from "./exit_status.ts";
import { type FoundCommand, findCommand, findCommandIndex } from "./find_command.ts";
import { print, printError } from "./output/print.ts";
import { logError, openStderrLogger } from "./output/stderr_logger.ts";
import { getErrorWidth } from "./output/terminal.ts";
import { wrapText } from "./output/wrap_text.ts";
import { PROGRAM_FLAGS, parseArguments } from "./strict_command.ts";
import { createUsageError, UsageError } from "./usage_error.ts";
import { formatVersion } from "./version.ts";

/** Runs the command that the words name and returns the exit status; never rejects. */
export async function dispatchCommand(words: readonly string[]): Promise<ExitStatus> {
  try {
    return await runCommandLine(words);
  } catch (error) {
    await recordBackgroundError(error);
    return reportError(error);
  }
}

/** Records the error of a background process, whose standard error no person sees. */
async function recordBackgroundError(error: unknown): Promise<void> {
  if (process.env[BACKGROUND_START_VARIABLE] === undefined) return;
  const { recordEarlyError } = await import("./work/background_start.ts");
  await recordEarlyError(process.cwd(), error);
}

async function runCommandLine(words: readonly string[]): Promise<ExitStatus> {
  const place = findCommandIndex(words);
  const name = words[place];
  if (name === undefined) return runProgramFlags(words);
  const rest = words.toSpliced(place, 1);
  if (name === "help") return runHelp(rest);
  if (name === "__complete") return runCompletion(words.slice(place + 1));
  const target = await findCommand(COMMANDS, name, rest);
  if ("family" in target.found) return runFamily(target.path.join(" "), target.found.family, target.rest);
  return runNamedCommand(target.path, target.found.command, target.rest);
}

/**
 * Runs the command through citty as the nested command of `path`. citty ignores unknown flags, keeps only the last of a
 * repeated one and drops extra words, so every word passes the strict check instead. Source: docs/dependencies.md
 */
async function runNamedCommand(
  path: readonly string[],
  command: Command,
  rest: readonly string[],
): Promise<ExitStatus> {
  let status: ExitStatus = EXIT_STATUS.ok;
  const leaf: CommandDef = defineCommand({
    async run({ rawArgs }) {
      status = await runCommandWords(path.join(" "), command, rawArgs);
    },
  });
  const program = path.reduceRight((below, name) => defineCommand({ subCommands: { [name]: below } }), leaf);
  await runCommand(program, { rawArgs: [...path, ...rest] });
  return status;
}

// A family has no behaviour; it prints its help, or an error for a missing command.
async function runFamily(name: string, family: CommandFamily, words: readonly string[]): Promise<ExitStatus> {
  const nothing = { summary: "", positionals: {}, flags: {}, examples: [], run: async () => {} };
  if (parseArguments(name, nothing, words).help) return printCommandHelp(name, { family });
  const members = Object.keys(family.commands).join(", ");
  throw createUsageError(name, `Missing command after "planner ${name}": expected one of ${members}`);
}

/** Commands that do not name texts of an earlier version: programs start them, or they name these themselves. */
const SILENT_COMMANDS: ReadonlySet<string> = new Set(["mcp", "doctor", "completion", "prime"]);

async function runCommandWords(name: string, command: Command, words: readonly string[]): Promise<ExitStatus> {
  const { help: wantsHelp, root, quiet, args } = parseArguments(name, command, words);
  if (wantsHelp) return printCommandHelp(name, { command });
  // parseWords has given the arguments the types that the command declares.
  const tells = !quiet && args["json"] !== true && !SILENT_COMMANDS.has(name);
  return (await command.run(args as Parameters<Command["run"]>[0], openCli(root, quiet, tells))) ?? EXIT_STATUS.ok;
}

async function runProgramFlags(words: readonly string[]): Promise<ExitStatus> {
  const program = { summary: "", positionals: {}, flags: PROGRAM_FLAGS, examples: [], run: async () => {} };
  if (parseArguments("", program, words).args["version"] === true) {
    print(formatVersion());
    return EXIT_STATUS.ok;
  }
  const { formatProgramHelp } = await import("./help.ts");
  print(formatProgramHelp());
  return EXIT_STATUS.ok;
}

async function runHelp(words: readonly string[]): Promise<ExitStatus> {
  const [name, ...rest] = words.filter((word) => word !== "--help" && word !== "-h");
  if (name === undefined || name.startsWith("-")) return runProgramFlags(words);
  const target = await findCommand(COMMANDS, name, [...rest, "--help"]);
  const [extra] = target.rest.filter((word) => word !== "--help");
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}": expected one command`, null);
  return printCommandHelp(target.path.join(" "), target.found);
}

// Prints completions for the shell scripts. It is not in the table, because people do not type it.
async function runCompletion(words: readonly string[]): Promise<ExitStatus> {
  const { printCompletion } = await import("./completion/print_completion.ts");
  await printCompletion(COMMANDS, words[0] === "--" ? words.slice(1) : words, process.cwd());
  return EXIT_STATUS.ok;
}

async function printCommandHelp(name: string, found: FoundCommand["found"]): Promise<ExitStatus> {
  const { formatCommandHelp, formatFamilyHelp } = await import("./help.ts");
  print("family" in found ? formatFamilyHelp(name, found.family) : formatCommandHelp(name, found.command));
  return EXIT_STATUS.ok;
}

function openCli(root: string | undefined, quiet: boolean, tells: boolean): Cli {
  const cwd = process.cwd();
  const absoluteRoot = root === undefined ? undefined : resolve(cwd, root);
  const logger = openStderrLogger(quiet);
  setNoticeListener((sentence) => logger.warn(sentence));
  return {
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
}

/** Prints to standard error why a command failed, and returns the exit status. */
export function reportError(thrown: unknown): ExitStatus {
  const error = convertSystemError(thrown);
  if (error instanceof OperationError) {
    logError(error.message);
    if (error instanceof UsageError && error.hint !== null) printError(`${wrapText(error.hint, getErrorWidth())}\n`);
    return getErrorStatus(error.kind);
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  logError(`Internal error: ${message}`);
  const debug = process.env["PLANNER_DEBUG"] === "1";
  printError(debug ? `${stack ?? message}\n` : "This is a bug in planner; PLANNER_DEBUG=1 prints the stack\n");
  return EXIT_STATUS.defect;
}

/** Converts an error of the operating system, such as a full disk, to an OperationError, because it is no defect. */
function convertSystemError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof RangeError && /out of memory|allocation failed/i.test(error.message)) {
    return new OperationError("resource_exhausted", `Not enough memory: ${error.message}: raise the limit of memory`);
  }
  // Deno's permissions are chosen by the user who starts the program.
  if (error.name === "NotCapable") return new OperationError("permission_denied", `Deno refused: ${error.message}`);
  const { syscall, path } = error as NodeJS.ErrnoException;
  return convertToDiskError(`${syscall ?? "use"}${path === undefined ? " a file" : ` "${path}"`}`, error);
}
