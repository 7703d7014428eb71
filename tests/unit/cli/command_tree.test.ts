import { describe, expect, test } from "bun:test";
import type { CommandDef } from "citty";
import { defineCommand } from "#cli/command.ts";
import { CommandTree, type TreeActions } from "#cli/command_tree.ts";
import { COMMANDS, type CommandTable } from "#cli/commands.ts";
import { completeWords } from "#cli/completion/print_completion.ts";
import { formatFamilyHelp, formatProgramHelp } from "#cli/help.ts";
import { UsageError } from "#cli/usage_error.ts";

function leaf(summary: string) {
  const flags = { db: { type: "string", summary: "Database" } } as const;
  const command = defineCommand({ summary, positionals: {}, flags, examples: [], async run() {} });
  return { summary, load: async () => ({ command }) };
}

const TABLE: CommandTable = {
  list: leaf("List"),
  dc: {
    summary: "Datacenter",
    family: async () => ({
      family: {
        commands: {
          serve: leaf("Serve"),
          migrate: {
            summary: "Schema",
            family: async () => ({
              family: { fallback: "status", commands: { status: leaf("Status"), apply: leaf("Apply") }, examples: [] },
            }),
          },
        },
        examples: [],
      },
    }),
  },
};

/** What a tree runs for words: the name, what is left of the words, and the command's summary. */
async function run(...words: string[]) {
  const ran: { path: string; rest: readonly string[]; runs: string | null }[] = [];
  const actions: TreeActions = {
    async runCommand(path, { summary }, rest) {
      ran.push({ path, rest, runs: summary });
      return 3;
    },
    async runFamily(path, _, rest) {
      ran.push({ path, rest, runs: null });
    },
    async runProgram(rest) {
      ran.push({ path: "", rest, runs: null });
    },
    unlisted: { help: async (rest) => void ran.push({ path: "help", rest, runs: null }) },
  };
  const status = await new CommandTree(TABLE, actions).run(words);
  expect(status).toBe(ran[0]?.runs === null ? 0 : 3);
  expect(ran).toHaveLength(1);
  return ran[0];
}

const found = (...words: string[]) => run("dc", ...words);

describe("CommandTree", () => {
  test("walks to the command that the words name", async () => {
    expect(await found("serve", "--db", "x")).toEqual({ path: "dc serve", rest: ["--db", "x"], runs: "Serve" });
    expect(await found("migrate", "apply")).toEqual({ path: "dc migrate apply", rest: [], runs: "Apply" });
  });

  test("takes flags before a name, their values as well", async () => {
    expect(await found("--db", "x", "serve")).toEqual({ path: "dc serve", rest: ["--db", "x"], runs: "Serve" });
    expect(await found("--db=x", "migrate", "-q", "apply")).toEqual({
      path: "dc migrate apply",
      rest: ["--db=x", "-q"],
      runs: "Apply",
    });
  });

  test("runs a family's fallback when no member is named, and shows its help when asked", async () => {
    expect(await found("migrate", "--db", "x")).toMatchObject({ path: "dc migrate status", rest: ["--db", "x"] });
    expect(await found("migrate", "--help")).toEqual({ path: "dc migrate", rest: ["--help"], runs: null });
    expect(await found()).toEqual({ path: "dc", rest: [], runs: null });
  });

  test("refuses an unknown name with what was expected and the nearest one", async () => {
    expect(found("sevre")).rejects.toThrow(
      new UsageError(
        'Unknown command "dc sevre": did you mean "serve"?',
        "Run `planner dc --help` for its arguments and flags",
      ),
    );
    for (const name of ["toString", "constructor", "__proto__", "(none)", "hasOwnProperty", "runCommand", "lits x"]) {
      expect(run(name)).rejects.toThrow(`Unknown command "${name}"`);
      expect(run("dc", name)).rejects.toThrow(`Unknown command "dc ${name}"`);
    }
  });

  test("runs the program's flags and what is not in the table by themselves", async () => {
    expect(await run()).toEqual({ path: "", rest: [], runs: null });
    expect(await run("--version", "--no-x")).toEqual({ path: "", rest: ["--version", "--no-x"], runs: null });
    expect(await run("--root", "dc", "help", "list")).toEqual({
      path: "help",
      rest: ["--root", "dc", "list"],
      runs: null,
    });
    expect(await run("--root", "x", "list", "--", "dc")).toMatchObject({ rest: ["--root", "x", "--", "dc"] });
  });
});

test("completionAt offers the members of a family, then what the member takes", async () => {
  const words = async (...typed: string[]) => {
    const completion = await completeWords(TABLE, typed);
    return completion.kind === "words" ? completion.candidates.map(({ word }) => word) : completion.kind;
  };

  expect(await words("dc", "")).toEqual(["serve", "migrate"]);
  expect(await words("dc", "--db", "x", "")).toEqual(["serve", "migrate"]);
  expect(await words("dc", "migrate", "")).toEqual(["status", "apply"]);
  expect(await words("dc", "serve", "--")).toEqual(["--db", "--root", "--quiet", "--help"]);
  expect(await words("help", "dc", "migrate", "")).toEqual(["status", "apply"]);
  expect(await words("help", "list", "")).toEqual([]);
});

/** The names of a tree of citty, without those that its words never name. */
async function namesOf(command: CommandDef): Promise<readonly string[]> {
  const members = Object.entries(
    (command.subCommands ?? {}) as Record<string, CommandDef | (() => Promise<CommandDef>)>,
  );
  const below = members.map(async ([name, member]) => {
    if (name === "(none)") return [];
    const loaded = typeof member === "function" ? await member() : member;
    return [name, ...(await namesOf(loaded)).map((own) => `${name} ${own}`)];
  });
  return (await Promise.all(below)).flat();
}

/** The names in the pages of help: the program's, and each family's that one of them lists. */
async function namesInHelp(): Promise<readonly string[]> {
  const listed = (page: string) => [...page.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, name = ""]) => name);
  const read = async (table: CommandTable, names: readonly string[], path: string): Promise<readonly string[]> => {
    const below = names.map(async (name) => {
      const entry = table[name];
      if (entry === undefined || !("family" in entry)) return [path + name];
      const { family } = await entry.family();
      const [, commands = ""] = formatFamilyHelp(path + name, family).split("Commands:");
      const own = listed(commands.split("Flags of every command")[0] ?? "");
      return [path + name, ...(await read(family.commands, own, `${path + name} `))];
    });
    return (await Promise.all(below)).flat();
  };
  const [commands = ""] = formatProgramHelp().split("\nFlags:");
  return read(COMMANDS, listed(commands), "");
}

test("the tree's names are the help's names, mcp and dc mcp among them", async () => {
  const nothing = async () => undefined;
  const actions = { runCommand: nothing, runFamily: nothing, runProgram: nothing, unlisted: {} };
  const names = await namesOf(new CommandTree(COMMANDS, actions).program);

  expect(names.toSorted()).toEqual((await namesInHelp()).toSorted());
  expect(names).toContain("mcp");
  expect(names).toContain("dc mcp");
  expect(names.length).toBeGreaterThan(60);
});
