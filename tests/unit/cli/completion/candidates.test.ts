import { expect, test } from "bun:test";
import { optionalArgument, requiredArgument } from "#cli/args.ts";
import { defineCommand, defineFamily } from "#cli/command.ts";
import { completeWords } from "#cli/completion/print_completion.ts";

const paint = defineCommand({
  meta: { name: "paint", description: "Paint" },
  args: {
    spec: requiredArgument("Which", { completes: "spec" }),
    tool: optionalArgument("With", { options: ["brush", "roller"] }),
    colour: { type: "enum", alias: "c", options: ["red", "green"], description: "Which colour" },
    label: { type: "string", alias: "l", multiple: true, description: "Label" },
    input: { type: "string", completes: "file", description: "Read this" },
    wet: { type: "boolean", alias: "w", description: "Wet" },
  },
  examples: {},
  async run() {},
});

const { family } = defineFamily({ meta: { name: "" }, subCommands: { paint }, examples: {} });

async function words(...typed: string[]): Promise<readonly string[] | string> {
  const completion = await completeWords(family, typed);
  return completion.kind === "words" ? completion.candidates.map(({ word }) => word) : completion.kind;
}

test("completionAt offers commands first, behind global flags too", async () => {
  expect(await words("")).toEqual(["paint", "help"]);
  expect(await words("--root", "/srv", "-q", "p")).toEqual(["paint", "help"]);
  expect(await words("help", "")).toEqual(["paint", "help"]);
});

test("completionAt offers the flags that may still be given", async () => {
  expect(await words("--")).toEqual(["--root", "--quiet", "--help"]);
  expect(await words("paint", "--wet", "--label", "x", "--")).toEqual(
    "--colour --label --input --root --quiet --help".split(" "),
  );
});

test("completionAt offers a flag's values, written apart, inline or in bash's three words", async () => {
  expect(await words("paint", "--colour", "")).toEqual(["red", "green"]);
  expect(await words("paint", "-wc", "")).toEqual(["red", "green"]);
  expect(await words("paint", "--colour=")).toEqual(["--colour=red", "--colour=green"]);
  expect(await words("paint", "--colour", "=", "r")).toEqual(["red", "green"]);
  expect(await words("paint", "--colour", "=")).toEqual(["red", "green"]);
});

test("completionAt leaves files, folders and specs to those who know them", async () => {
  expect(await words("paint", "--input", "x")).toBe("file");
  expect(await words("--root", "")).toBe("directory");
  expect(await words("paint", "2026")).toBe("spec");
});

test("completionAt counts arguments without flags and their values", async () => {
  expect(await words("paint", "--label", "x", "abc", "-w", "")).toEqual(["brush", "roller"]);
  expect(await words("paint", "abc", "brush", "")).toEqual([]);
});

test("completionAt offers nothing behind a command that is not there", async () => {
  expect(await words("pain", "")).toEqual([]);
  expect(await words("constructor", "")).toEqual([]);
});
