import { resolve } from "node:path";
import { type CommandDef, defineCommand, runCommand } from "citty";
import { onNotice } from "#kernel/notices.ts";
import { BACKGROUND_START } from "#planner/operations/shared/start_background.ts";
import type { Cli, Command } from "./command.ts";
import { COMMANDS, type CommandFamily } from "./commands.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import { findCommand } from "./find_command.ts";
import { print } from "./output/print.ts";
import { openStderrLogger } from "./output/stderr_logger.ts";
import { reportError } from "./report_error.ts";
import { PROGRAM_FLAGS, parseWords } from "./strict_command.ts";
import { UsageError, usageError } from "./usage_error.ts";
import { versionLine } from "./version.ts";

/** Runs the command that the words name and returns how the process ends; never rejects. */
export async function dispatch(words: readonly string[]): Promise<ExitStatus> {
  try {
    return await run(words);
  } catch (error) {
    await recordInBackground(error);
    return reportError(error);
  }
}

/** Work in the background has no visible standard error. */
async function recordInBackground(error: unknown): Promise<void> {
  if (process.env[BACKGROUND_START] === undefined) return;
  const { recordEarlyRefusal } = await import("./work/background_start.ts");
  await recordEarlyRefusal(process.cwd(), error);
}

async function run(words: readonly string[]): Promise<ExitStatus> {
  const place = commandPlace(words);
  const name = words[place];
  if (name === undefined) return overview(words);
  const rest = words.toSpliced(place, 1);
  if (name === "help") return help(rest);
  if (name === "__complete") return complete(words.slice(place + 1));
  const target = await findCommand(COMMANDS, name, rest);
  if ("family" in target.found) return runFamily(target.path.join(" "), target.found.family, target.rest);
  return runNamed(target.path, target.found.command, target.rest);
}

/**
 * Runs the command through citty as the nested command of `path`. citty ignores unknown flags, keeps only the last of a
 * repeated one and drops extra words, so every word passes the strict check instead. Source: docs/dependencies.md
 */
async function runNamed(path: readonly string[], command: Command, rest: readonly string[]): Promise<ExitStatus> {
  let status: ExitStatus = EXIT_STATUS.ok;
  const leaf: CommandDef = defineCommand({
    async run({ rawArgs }) {
      status = await runWords(path.join(" "), command, rawArgs);
    },
  });
  const program = path.reduceRight((below, name) => defineCommand({ subCommands: { [name]: below } }), leaf);
  await runCommand(program, { rawArgs: [...path, ...rest] });
  return status;
}

// A family has no behaviour: it prints its help, or the error for a missing command.
async function runFamily(name: string, family: CommandFamily, words: readonly string[]): Promise<ExitStatus> {
  const nothing = { summary: "", positionals: {}, flags: {}, examples: [], run: async () => {} };
  if (parseWords(name, nothing, words).help) return showFamily(name, family);
  const members = Object.keys(family.commands).join(", ");
  throw usageError(name, `Missing command after "planner ${name}": expected one of ${members}`);
}

async function runWords(name: string, command: Command, words: readonly string[]): Promise<ExitStatus> {
  const { help: wantsHelp, root, quiet, args } = parseWords(name, command, words);
  if (wantsHelp) return showHelp(name, command);
  // parseWords has just made the words what the command declares, name by name.
  return (await command.run(args as Parameters<Command["run"]>[0], openCli(root, quiet))) ?? EXIT_STATUS.ok;
}

// Index of the first word that is neither a flag nor the value of --root; both can precede the command's name.
function commandPlace(words: readonly string[]): number {
  let index = 0;
  while (words[index]?.startsWith("-") === true) index += words[index] === "--root" ? 2 : 1;
  return index;
}

async function overview(words: readonly string[]): Promise<ExitStatus> {
  const program = { summary: "", positionals: {}, flags: PROGRAM_FLAGS, examples: [], run: async () => {} };
  if (parseWords("", program, words).args["version"] === true) {
    print(versionLine());
    return EXIT_STATUS.ok;
  }
  const { programHelp } = await import("./help.ts");
  print(programHelp());
  return EXIT_STATUS.ok;
}

async function help(words: readonly string[]): Promise<ExitStatus> {
  const [name, ...rest] = words.filter((word) => word !== "--help" && word !== "-h");
  if (name === undefined || name.startsWith("-")) return overview(words);
  const target = await findCommand(COMMANDS, name, [...rest, "--help"]);
  const [extra] = target.rest.filter((word) => word !== "--help");
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}": expected one command`, null);
  const path = target.path.join(" ");
  return "family" in target.found ? showFamily(path, target.found.family) : showHelp(path, target.found.command);
}

// For the completion scripts; not in the table, because people do not type it.
async function complete(words: readonly string[]): Promise<ExitStatus> {
  const { printCompletion } = await import("./completion/print_completion.ts");
  await printCompletion(COMMANDS, words[0] === "--" ? words.slice(1) : words, process.cwd());
  return EXIT_STATUS.ok;
}

async function showHelp(name: string, command: Command): Promise<ExitStatus> {
  const { commandHelp } = await import("./help.ts");
  print(commandHelp(name, command));
  return EXIT_STATUS.ok;
}

async function showFamily(name: string, family: CommandFamily): Promise<ExitStatus> {
  const { familyHelp } = await import("./help.ts");
  print(familyHelp(name, family));
  return EXIT_STATUS.ok;
}

function openCli(root: string | undefined, quiet: boolean): Cli {
  const cwd = process.cwd();
  const absoluteRoot = root === undefined ? undefined : resolve(cwd, root);
  const logger = openStderrLogger(quiet);
  onNotice((sentence) => logger.warn(sentence));
  return {
    ...logger,
    cwd,
    root: absoluteRoot,
    async project() {
      const { openProject } = await import("./open_project.ts");
      return openProject(cwd, absoluteRoot);
    },
    async planner() {
      return (await this.project()).context;
    },
  };
}
