import { type CommandDef, defineCommand, runCommand } from "citty";
import type { Command } from "./command.ts";
import type { CommandEntry } from "./commands.ts";

/** What runs a loaded command with the words behind its name. */
export type RunWords = (name: string, command: Command, words: readonly string[]) => Promise<void>;

/**
 * Lets citty find the named command in the table, load it and run it.
 *
 * citty gets no word to interpret: it swallows unknown flags, keeps only the last of a repeated one and drops extra
 * words, so every word goes through the strict check instead.
 */
export async function runNamedCommand(
  table: Readonly<Record<string, CommandEntry>>,
  [name, words]: readonly [string, readonly string[]],
  run: RunWords,
): Promise<void> {
  const rows = Object.entries(table).map(([row, { load }]) => [row, () => load().then(leaf(row, run))]);
  const program: CommandDef = defineCommand({ meta: { name: "planner" }, subCommands: Object.fromEntries(rows) });
  await runCommand(program, { rawArgs: [name, ...words] });
}

function leaf(name: string, run: RunWords): (loaded: { readonly command: Command }) => CommandDef {
  return ({ command }) =>
    defineCommand({
      meta: { name, description: command.summary },
      run: ({ rawArgs }) => run(name, command, rawArgs),
    });
}
