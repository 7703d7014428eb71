import { describe, expect, test } from "bun:test";
import { defineCommand } from "#cli/command.ts";
import type { CommandTable } from "#cli/commands.ts";
import { completeWords } from "#cli/completion/candidates.ts";
import { findCommand } from "#cli/find_command.ts";
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

async function found(...words: string[]) {
  const { path, rest, found: target } = await findCommand(TABLE, "dc", words);
  return { path: path.join(" "), rest, runs: "command" in target ? target.command.summary : null };
}

describe("findCommand", () => {
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
    expect(findCommand(TABLE, "toString", [])).rejects.toThrow('Unknown command "toString"');
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
