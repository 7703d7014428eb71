import { type CommandDef, defineCommand, runCommand } from "citty";
import type { Command } from "./command.ts";
import type { CommandEntry, CommandTable } from "./commands.ts";

/** Runs a loaded command with the words that follow its name. */
export type RunWords = (name: string, command: Command, words: readonly string[]) => Promise<void>;

/**
 * Lets citty find the command along `path`, load and run it.
 *
 * citty does not check arguments: it ignores unknown flags, keeps only the last of a repeated one and drops extra
 * words. Every word therefore passes the strict check instead.
 */
export async function runNamedCommand(
  table: CommandTable,
  { path, rest }: { readonly path: readonly string[]; readonly rest: readonly string[] },
  run: RunWords,
): Promise<void> {
  const program = defineCommand({ meta: { name: "planner" }, subCommands: subCommands(table, [], run) });
  await runCommand(program, { rawArgs: [...path, ...rest] });
}

function subCommands(
  table: CommandTable,
  above: readonly string[],
  run: RunWords,
): Record<string, () => Promise<CommandDef>> {
  const rows = Object.entries(table).map(([name, entry]) => [name, () => loaded(entry, [...above, name], run)]);
  return Object.fromEntries(rows);
}

async function loaded(entry: CommandEntry, path: readonly string[], run: RunWords): Promise<CommandDef> {
  const name = path.join(" ");
  if ("family" in entry) {
    const { family } = await entry.family();
    return defineCommand({ meta: { name }, subCommands: subCommands(family.commands, path, run) });
  }
  const { command } = await entry.load();
  return defineCommand({
    meta: { name, description: command.summary },
    run: ({ rawArgs }) => run(name, command, rawArgs),
  });
}
