import { afterEach, describe, expect, test } from "bun:test";
import { enumFlag, requiredArgument } from "#cli/args.ts";
import { defineCommand, defineFamily, lazy, runTree } from "#cli/command.ts";
import { COMMANDS, program } from "#cli/commands.ts";
import { completeWords } from "#cli/completion/print_completion.ts";
import { type Family, type FamilyDeclaration, loadMember } from "#cli/declaration.ts";
import { formatFamilyHelp, formatProgramHelp } from "#cli/help.ts";
import { UsageError } from "#cli/usage_error.ts";

/** What a tree ran, by its name, with the values of its flags. */
let ran: unknown[] = [];
afterEach(() => {
  ran = [];
  process.exitCode = 0;
});

function leaf(name: string) {
  return defineCommand({
    meta: { name, description: name.toUpperCase() },
    args: { db: { type: "string", description: "Database" }, wet: { type: "boolean", description: "Wet" } },
    examples: {},
    async run({ args, cli }) {
      ran.push([name, args.db, args.wet, cli.quiet]);
      return 3;
    },
  });
}

const MIGRATE = defineFamily(
  {
    meta: { name: "dc migrate" },
    fallback: "status",
    subCommands: { status: leaf("dc migrate status"), apply: leaf("dc migrate apply") },
    examples: {},
  },
  {},
  async (words) => void ran.push(["dc migrate", ...words]),
);

const DC = defineFamily({
  meta: { name: "dc" },
  subCommands: { serve: leaf("dc serve"), migrate: lazy("Schema", async () => ({ command: MIGRATE })) },
  examples: {},
});

const TREE = defineFamily(
  {
    meta: { name: "" },
    subCommands: { list: leaf("list"), dc: lazy("Datacenter", async () => ({ command: DC })) },
    examples: {},
  },
  { help: async (words) => void ran.push(["help", ...words]) },
  async (words) => void ran.push(["", ...words]),
);

async function run(...words: string[]) {
  await runTree(TREE, words);
  return ran.pop();
}

describe("defineFamily", () => {
  test("runs the command that the words name, and sets its status", async () => {
    expect(await run("dc", "serve", "--db", "x")).toEqual(["dc serve", "x", false, false]);
    expect(process.exitCode).toBe(3);
    expect(await run("dc", "migrate", "apply")).toEqual(["dc migrate apply", undefined, false, false]);
  });

  test("takes flags before a name, their values as well", async () => {
    expect(await run("dc", "--db", "x", "serve")).toEqual(["dc serve", "x", false, false]);
    expect(await run("dc", "--db=x", "migrate", "-q", "--wet", "apply")).toEqual(["dc migrate apply", "x", true, true]);
  });

  test("gives citty the arguments of a command, which it neither parses nor refuses", async () => {
    const args = { ids: requiredArgument("Ids", { repeats: true }), mode: enumFlag(["a"], "Mode", { required: true }) };
    const meta = { name: "edge", description: "EDGE" };
    const edge = defineCommand({ meta, args, examples: {}, run: async (call) => void ran.push(call.args) });
    expect(edge.args).toEqual({
      ids: { type: "positional", description: "Ids", required: false },
      mode: { type: "string", description: "Mode", required: false },
    });
    const edges = defineFamily({ meta: { name: "" }, subCommands: { edge }, examples: {} });
    await runTree(edges, ["edge", "x", "--mode", "a", "y", "--", "--z", "--no-mode"]);
    expect(ran.pop()).toEqual({ ids: ["x", "y", "--z", "--no-mode"], mode: "a" });
    expect(runTree(edges, ["edge"])).rejects.toThrow("Missing argument <ids>: ids");
    expect(runTree(edges, ["edge", "x", "--mode", "b"])).rejects.toThrow('Wrong value "b" for "--mode"');
  });

  test("runs a family's fallback when no member is named, and shows its help when asked", async () => {
    expect(await run("dc", "migrate", "--db", "x")).toEqual(["dc migrate status", "x", false, false]);
    expect(await run("dc", "migrate", "--help")).toEqual(["dc migrate", "--help"]);
    expect(await run("dc").catch((error) => error)).toMatchObject({
      message: 'Missing command after "planner dc": expected one of serve, migrate',
      hint: "Run `planner dc --help` for its arguments and flags",
    });
  });

  test("refuses an unknown name with what was expected and the nearest one", async () => {
    expect(run("dc", "sevre")).rejects.toThrow(
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

  test("runs the program's flags and hidden members by themselves", async () => {
    expect(await run()).toEqual([""]);
    for (const flag of ["--_", "--_=x", "--no-_", "-_"])
      expect(run("dc", "serve", flag)).rejects.toThrow(`Unknown flag "${flag.split("=")[0]}"`);
    expect(await run("--version", "--no-x")).toEqual(["", "--version", "--no-x"]);
    expect(await run("--root", "dc", "help", "list")).toEqual(["help", "--root", "dc", "list"]);
    expect(await run("--root", "x", "list", "--", "dc").catch((error) => error)).toMatchObject({
      message: 'Unexpected argument "dc": expected none',
      hint: "Run `planner list --help` for its arguments and flags",
    });
  });
});

test("completionAt offers the members of a family, then what the member takes", async () => {
  const words = async (...typed: string[]) => {
    const completion = await completeWords(TREE.family, typed);
    return completion.kind === "words" ? completion.candidates.map(({ word }) => word) : completion.kind;
  };

  expect(await words("dc", "")).toEqual(["serve", "migrate"]);
  expect(await words("dc", "--db", "x", "")).toEqual(["serve", "migrate"]);
  expect(await words("dc", "migrate", "")).toEqual(["status", "apply"]);
  expect(await words("dc", "serve", "--")).toEqual(["--db", "--wet", "--root", "--quiet", "--help"]);
  expect(await words("help", "dc", "migrate", "")).toEqual(["status", "apply"]);
  expect(await words("help", "list", "")).toEqual([]);
});

/** The names of citty's tree, without those that help does not list. Each member knows its own name. */
async function namesOf(tree: Family): Promise<readonly string[]> {
  const above = tree.family.meta.name;
  const names = Object.keys(tree.subCommands ?? {}).filter((name) => !["(none)", "help", "__complete"].includes(name));
  const below = names.map(async (name) => {
    const loaded = await loadMember((tree.subCommands as FamilyDeclaration["subCommands"])[name] as never);
    const { meta } = "family" in loaded ? loaded.family : loaded.declaration;
    expect(meta.name).toBe(`${above} ${name}`.trim());
    return [meta.name, ...("family" in loaded ? await namesOf(loaded) : [])];
  });
  return (await Promise.all(below)).flat();
}

/** The names in the pages of help: the program's, and each family's that one of them lists. */
async function namesInHelp(): Promise<readonly string[]> {
  const listed = (page: string) => [...page.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, name = ""]) => name);
  const read = async ({ meta, subCommands }: FamilyDeclaration, names: readonly string[]): Promise<string[]> => {
    const below = names.map(async (name) => {
      const path = `${meta.name} ${name}`.trim();
      const member = subCommands[name];
      const loaded = member && (await loadMember(member));
      if (loaded === undefined || !("family" in loaded)) return [path];
      const [, commands = ""] = formatFamilyHelp(loaded.family).split("Commands:");
      return [path, ...(await read(loaded.family, listed(commands.split("Flags of every command")[0] ?? "")))];
    });
    return (await Promise.all(below)).flat();
  };
  const [commands = ""] = formatProgramHelp(COMMANDS).split("\nFlags:");
  return read(program.family, listed(commands));
}

test("the tree's names are the help's names and those that commands have, mcp and dc mcp among them", async () => {
  const names = await namesOf(program);

  expect(names.toSorted()).toEqual((await namesInHelp()).toSorted());
  expect(names).toContain("mcp");
  expect(names).toContain("dc mcp");
  expect(names.length).toBeGreaterThan(60);
});
