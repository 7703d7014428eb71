import { resolve } from "node:path";
import { type ArgDef, type CommandDef, defineCommand as defineCittyCommand, runCommand } from "citty";
import { setNoticeListener } from "#kernel/notices.ts";
import type { Args, ArgValues } from "./args.ts";
import {
  type Cli,
  type Command,
  type Declaration,
  type Family,
  type FamilyDeclaration,
  findMember,
  findNameIndex,
  type LazyMember,
} from "./declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import { print } from "./output/print.ts";
import type { StderrLogger } from "./output/stderr_logger.ts";
import { parseArguments } from "./strict_command.ts";
import { formatHelpHint, UsageError } from "./usage_error.ts";

/** Commands that do not name texts of an earlier version: programs start them, or they name these themselves. */
const SILENT_COMMANDS: ReadonlySet<string> = new Set(["mcp", "doctor", "completion", "prime"]);

/** Creates a command of citty, and infers the types of the arguments of its `run`. */
export function defineCommand<const A extends Args = Record<never, never>>(declaration: Declaration<A>): Command {
  const { meta, args = {} } = declaration;
  const command = defineCittyCommand({
    meta: { ...meta },
    args: loosenArgs(args),
    async run({ rawArgs: [_, ...words] }) {
      // citty returns no nested result.
      process.exitCode = await addHelpHint(meta.name, () => runDeclared(declaration, words));
    },
  });
  return { ...command, declaration };
}

async function runDeclared<A extends Args>(declaration: Declaration<A>, words: readonly string[]): Promise<ExitStatus> {
  const given = parseArguments(declaration, words);
  if (given.help) {
    print((await import("./help.ts")).formatCommandHelp(declaration));
    return EXIT_STATUS.ok;
  }
  const cli = await openCli(declaration, given);
  // parseArguments has given the arguments the types that the command declares.
  return (await declaration.run({ args: given.args as ArgValues<A>, cli })) ?? EXIT_STATUS.ok;
}

/** Runs `work`. An error for a wrong command line gets a hint at the help of `name`, unless it has another. */
async function addHelpHint<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError && error.hint === undefined) error.hint = formatHelpHint(name);
    throw error;
  }
}

/** Returns arguments of which citty refuses none, because `parseArguments` refuses with better texts. */
function loosenArgs(args: Args): Record<string, ArgDef> {
  const entries = Object.entries(args).map(([name, { type, description }]): [string, ArgDef] => [
    name,
    { type: type === "boolean" || type === "positional" ? type : "string", description, required: false },
  ]);
  return Object.fromEntries(entries);
}

/** Returns a member of a family that is loaded when it runs, from the file that exports it. */
export function lazy<const Name extends string = "command">(
  description: string,
  load: () => Promise<Readonly<Record<NoInfer<Name>, Command | Family>>>,
  name: Name = "command" as Name,
): LazyMember {
  return Object.assign(async () => (await load())[name], { description });
}

type RunWords = (words: readonly string[]) => Promise<void>;

/**
 * Word before all words that citty gets: it parses nothing behind it. It would store flags beside the other words, which
 * it names `_`, and fail for a flag of that name.
 */
const UNPARSED = "--";

/** Runs the command of a tree that the words name. */
export async function runTree(tree: Family, words: readonly string[]): Promise<void> {
  await runCommand(tree, { rawArgs: [UNPARSED, ...words] });
}

/** Name under which a family runs what no word names. It cannot be typed, because typed names are looked up. */
const UNNAMED = "(none)";

/**
 * Creates a family of commands.
 *
 * citty gives a member only the words behind its name, takes an inherited member such as `constructor` for a name, loads
 * every member to search an unknown name, and runs a family's own `run` after a member. So `setup` checks the name and
 * puts it first.
 * @param hidden further members, which help does not list
 * @param runUnnamed runs the family if no member is named
 */
export function defineFamily(
  family: FamilyDeclaration,
  hidden: Readonly<Record<string, RunWords>> = {},
  runUnnamed: RunWords = (words) => runFamily(family, words),
): Family {
  const others = Object.entries({ ...hidden, [UNNAMED]: runUnnamed }).map(([name, run]): [string, CommandDef] => [
    name,
    defineCittyCommand({ run: ({ rawArgs: [_, ...words] }) => addHelpHint(family.meta.name, () => run(words)) }),
  ]);
  return {
    meta: { ...family.meta },
    subCommands: Object.assign(Object.create(null), family.subCommands, Object.fromEntries(others)),
    setup({ rawArgs: words }) {
      words.shift();
      const at = findNameIndex(family, words);
      const asksForHelp = words.includes("--help") || words.includes("-h");
      const name = words[at] ?? (asksForHelp ? undefined : family.fallback);
      if (name !== undefined && !Object.hasOwn(hidden, name)) findMember(family, name);
      if (at !== -1) words.splice(at, 1);
      words.unshift(name ?? UNNAMED, UNPARSED);
    },
    family,
  };
}

/** Prints the help of a family of which no member is named. @throws UsageError unless it is asked for */
async function runFamily(family: FamilyDeclaration, words: readonly string[]): Promise<void> {
  if (parseArguments({}, words).help) return print((await import("./help.ts")).formatFamilyHelp(family));
  const { name } = family.meta;
  const members = Object.keys(family.subCommands).join(", ");
  throw new UsageError(`Missing command after "planner ${name}": expected one of ${members}`);
}

async function openCli(
  { meta, isServedAtOnce }: Pick<Declaration, "meta" | "isServedAtOnce">,
  { root: given, quiet, args }: ReturnType<typeof parseArguments>,
): Promise<Cli> {
  const cwd = process.cwd();
  const root = given === undefined ? undefined : resolve(cwd, given);
  const tells = !quiet && args["json"] !== true && !SILENT_COMMANDS.has(meta.name);
  const logger = isServedAtOnce === true ? { quiet, note() {}, warn() {} } : await openLogger(quiet);
  const cli: Cli = {
    ...logger,
    cwd,
    root,
    async openProject() {
      const { openProject, findUpgradeNote } = await import("./open_project.ts");
      const project = await openProject(cwd, root);
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
