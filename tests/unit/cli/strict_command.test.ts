import { describe, expect, test } from "bun:test";
import { optionalArgument, requiredArgument } from "#cli/args.ts";
import { parseArguments } from "#cli/strict_command.ts";
import { UsageError } from "#cli/usage_error.ts";

const command = {
  meta: { name: "paint" },
  args: {
    thing: requiredArgument("What to paint"),
    tool: optionalArgument("With what", { options: ["brush", "roller"] }),
    colour: { type: "enum", alias: "c", options: ["red", "green"], description: "Which colour" },
    coats: { type: "integer", alias: "n", least: 1, description: "How often" },
    note: { type: "string", description: "What to write on it" },
    label: { type: "string", alias: "l", multiple: true, description: "Labels" },
    wet: { type: "boolean", alias: "w", description: "Do not wait" },
  },
} as const;

function parse(...words: string[]) {
  return parseArguments(command, words);
}

function refusal(...words: string[]): UsageError {
  try {
    parse(...words);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`Nothing is refused in: ${words.join(" ")}`);
}

test("parseArguments fills in every declared word when only the required one is given", () => {
  const { args, help, quiet, root } = parse("door");

  expect({ help, quiet, root }).toEqual({ help: false, quiet: false, root: undefined });
  const absent = { tool: undefined, colour: undefined, coats: undefined, note: undefined };
  expect(args).toEqual({ thing: "door", ...absent, label: [], wet: false });
});

test("parseArguments reads long, short, inline and repeated flags wherever they stand", () => {
  const { args } = parse("-wc", "red", "door", "--coats=3", "-l", "a", "roller", "--label", "b", "--note=--loud");

  const flags = { colour: "red", coats: 3, note: "--loud", label: ["a", "b"], wet: true };
  expect(args).toEqual({ thing: "door", tool: "roller", ...flags });
});

test("parseArguments takes everything behind -- as words", () => {
  expect(parse("--", "--door").args).toMatchObject({ thing: "--door" });
});

test("parseArguments hands out the flags of every command", () => {
  const { args, quiet, root } = parse("--root", "/srv", "door", "-q");

  expect({ quiet, root }).toEqual({ quiet: true, root: "/srv" });
  expect(args).not.toHaveProperty("root");
});

test("parseArguments lets help win over everything that is wrong", () => {
  expect(parse("--colour", "blue", "--nonsense", "-h").help).toBe(true);
});

test("parseArguments tells the words that a missing argument may be", () => {
  const hook = { meta: { name: "hook" }, args: { action: requiredArgument("What", { options: ["on", "off"] }) } };

  expect(() => parseArguments(hook, [])).toThrow("Missing argument <action>: expected one of on, off");
});

describe("parseArguments refuses", () => {
  const cases: readonly [words: readonly string[], message: string][] = [
    [["door", "--coluor", "red"], 'Unknown flag "--coluor": did you mean "--colour"?'],
    [["door", "--zebra"], 'Unknown flag "--zebra"'],
    [["door", "-x"], 'Unknown flag "-x"'],
    [["door", "--no-wet"], 'Unknown flag "--no-wet"'],
    [["door", "--constructor"], 'Unknown flag "--constructor"'],
    [["door", "--wet=yes"], 'Flag "--wet" takes no value: got "yes"'],
    [["door", "--wet", "--wet"], 'Flag "--wet" is given twice'],
    [["door", "--note", "a", "--note", "b"], 'Flag "--note" is given twice'],
    [["door", "--note"], 'Missing value for "--note": expected a text'],
    [["door", "--note", "--wet"], 'Missing value for "--note": expected a text, got the flag "--wet"'],
    [["door", "--note="], 'Empty value for "--note": expected a text'],
    ...["many", "0", "1.5", "1e3", "99999999999999999999"].map((coats): [string[], string] => [
      ["door", "--coats", coats],
      `Wrong value "${coats}" for "--coats": expected a whole number of at least 1`,
    ]),
    [["door", "-c", "gren"], 'Wrong value "gren" for "--colour": expected one of red, green (did you mean "green"?)'],
    [["door", "-c", "black"], 'Wrong value "black" for "--colour": expected one of red, green'],
    [["door", "sponge"], 'Wrong value "sponge" for <tool>: expected one of brush, roller'],
    [[], "Missing argument <thing>: what to paint"],
    [
      ["door", "brush", "now"],
      'Unexpected argument "now": expected at most 2; put quotes around a text of several words',
    ],
  ];

  for (const [words, message] of cases) {
    test(words.join(" ") || "nothing at all", () => {
      const error = refusal(...words);

      expect(error.message).toBe(message);
      expect(error.kind).toBe("invalid_argument");
      // One refusal, one next step: a suggestion is one, and the help of the command otherwise.
      expect(error.hint).toBe(message.includes("did you mean") ? null : undefined);
    });
  }
});

describe("parseArguments checks what words demand of each other", () => {
  const ruled = {
    meta: { name: "send" },
    args: {
      things: optionalArgument("Which things", { repeats: true, replacedBy: ["--all"] }),
      all: { type: "boolean", description: "Send everything", excludes: ["<things>"] },
      by: { type: "enum", options: ["mail", "rail"], required: true, description: "How" },
      stamp: { type: "integer", least: 1, description: "Price of the stamp", needs: ["--by mail"] },
      seat: { type: "string", valueHint: "number", description: "Seat", needs: ["--wagon"], excludes: ["--by mail"] },
      wagon: { type: "string", valueHint: "number", description: "Wagon", needs: ["<things>"] },
    },
  } as const;

  test.each([
    ["door --all --by rail", '"--all" and <things> "door" exclude each other: expected one of them'],
    ["door --seat 1 --wagon 2 --by mail", '"--seat" and "--by mail" exclude each other: expected one of them'],
    ["door --by rail --stamp 3", '"--stamp 3" needs "--by mail"'],
    ["door --by rail --seat 1", '"--seat" needs "--wagon <number>"'],
    ["--all --by rail --wagon 2", '"--wagon" needs <things>: which things'],
    ["--by rail", "Missing argument <things>: which things; or --all"],
    ["door", 'Missing "--by <by>": how'],
  ])("%s", (words, message) => {
    expect(() => parseArguments(ruled, words.split(" "))).toThrow(message);
  });

  test("and takes words that demand nothing more", () => {
    for (const words of ["door --by rail --seat 1 --wagon 2", "--all --by mail --stamp 3"]) {
      expect(parseArguments(ruled, words.split(" ")).help).toBe(false);
    }
  });
});
