import { type CommandDef, defineCommand, runCommand } from "citty";
import type { Command } from "./command.ts";
import type { CommandFamily, CommandTable } from "./commands.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import { formatHelpHint, formatSuggestion, UsageError } from "./usage_error.ts";

type RunWords = (words: readonly string[]) => Promise<void>;

/** What the commands of a tree do. */
export interface TreeActions {
  runCommand(name: string, command: Command, words: readonly string[]): Promise<ExitStatus | undefined>;
  /** Runs a family of which no member is named. */
  runFamily(name: string, family: CommandFamily, words: readonly string[]): Promise<void>;
  /** Runs the program without a command. */
  runProgram: RunWords;
  /** Commands outside the table, because help does not list them. */
  readonly unlisted: Readonly<Record<string, RunWords>>;
}

/** Name under which a tree runs what no word names. It cannot be typed, because typed names are looked up in the table. */
const UNNAMED = "(none)";

/**
 * The commands of a table as a tree of citty: families with `subCommands`, each member loaded when it runs.
 *
 * citty gives a member only the words behind its name, takes an inherited member such as `constructor` for a name, loads
 * every member to search an unknown name, and ignores unknown flags and extra words. So each family's `setup` checks the
 * name and puts it first, and a command checks its words itself. Source: docs/dependencies.md.
 */
export class CommandTree {
  readonly program: CommandDef;
  readonly #actions: TreeActions;
  // citty returns no result of a nested command.
  #status: ExitStatus = EXIT_STATUS.ok;

  constructor(table: CommandTable, actions: TreeActions) {
    this.#actions = actions;
    const { unlisted } = actions;
    this.program = defineCommand({
      meta: { name: "planner" },
      subCommands: this.#createMembers([], table, { ...unlisted, [UNNAMED]: (words) => actions.runProgram(words) }),
      setup: ({ rawArgs }) => {
        const at = findCommandIndex(rawArgs);
        const name = rawArgs[at];
        if (name !== undefined && !Object.hasOwn(unlisted, name)) findCommandEntry(table, [name]);
        putNameFirst(rawArgs, at, name);
      },
    });
  }

  /** Runs the command that the words name and returns its status. */
  async run(words: readonly string[]): Promise<ExitStatus> {
    await runCommand(this.program, { rawArgs: [...words] });
    return this.#status;
  }

  #createMembers(path: readonly string[], table: CommandTable, others: Readonly<Record<string, RunWords>>) {
    const members = Object.entries(table).map(([name, entry]) => {
      const own = [...path, name];
      return [
        name,
        async (): Promise<CommandDef> =>
          "family" in entry
            ? this.#createFamily(own, (await entry.family()).family)
            : this.#createCommand(own.join(" "), (await entry.load()).command),
      ];
    });
    const unlisted = Object.entries(others).map(([name, run]) => [
      name,
      defineCommand({ run: ({ rawArgs }) => run(rawArgs) }),
    ]);
    return Object.assign(Object.create(null), Object.fromEntries([...members, ...unlisted]));
  }

  #createFamily(path: readonly string[], family: CommandFamily): CommandDef {
    const name = path.join(" ");
    return defineCommand({
      meta: { name },
      subCommands: this.#createMembers(path, family.commands, {
        [UNNAMED]: (words) => this.#actions.runFamily(name, family, words),
      }),
      setup: ({ rawArgs }) => {
        const at = findMemberIndex(family.commands, rawArgs);
        const asksForHelp = rawArgs.includes("--help") || rawArgs.includes("-h");
        const member = rawArgs[at] ?? (asksForHelp ? undefined : family.fallback);
        if (member !== undefined) findCommandEntry(family.commands, [...path, member]);
        putNameFirst(rawArgs, at, member);
      },
    });
  }

  #createCommand(name: string, command: Command): CommandDef {
    return defineCommand({
      meta: { name, description: command.summary },
      run: async ({ rawArgs }) => {
        this.#status = (await this.#actions.runCommand(name, command, rawArgs)) ?? EXIT_STATUS.ok;
      },
    });
  }
}

function putNameFirst(words: string[], at: number, name = UNNAMED): void {
  if (words[at] === name) words.splice(at, 1);
  words.unshift(name);
}

/** Returns the index of the first word that is no flag and no value of `--root`; both may precede the command. */
export function findCommandIndex(words: readonly string[]): number {
  let index = 0;
  while (words[index]?.startsWith("-") === true) index += words[index] === "--root" ? 2 : 1;
  return index;
}

/** Returns the index of a family's member: the first word that is no flag and cannot be a flag's value, or -1. */
export function findMemberIndex(table: CommandTable, words: readonly string[]): number {
  return words.findIndex((word, index) => {
    if (word.startsWith("-")) return false;
    const before = words[index - 1];
    const mayBeValue = before?.startsWith("-") === true && !before.includes("=");
    return !mayBeValue || Object.hasOwn(table, word);
  });
}

/** Returns the row of the last name of `path` in its family's table. @throws UsageError for an unknown name */
export function findCommandEntry(table: CommandTable, path: readonly string[]): CommandTable[string] {
  const name = path.at(-1) ?? "";
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry !== undefined) return entry;
  const parent = path.slice(0, -1).join(" ");
  const names = Object.keys(table);
  const near = formatSuggestion(name, parent === "" ? [...names, "help"] : names);
  const message = `Unknown command "${path.join(" ")}"`;
  if (near !== "") throw new UsageError(`${message}: ${near}`, null);
  throw new UsageError(
    parent === "" ? message : `${message}: expected one of ${names.join(", ")}`,
    formatHelpHint(parent),
  );
}
