import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ArgumentRules, Command } from "#cli/command.ts";
import { COMMANDS } from "#cli/commands.ts";
import { formatCommandHelp, formatFamilyHelp, formatProgramHelp } from "#cli/help.ts";
import { GLOBAL_FLAGS } from "#cli/strict_command.ts";
import { documentedCommands } from "../../support/docs/doc_tables.ts";

const DOCS = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "cli.md"), "utf8");

/** The text under each `### name` of docs/cli.md. */
const SECTIONS = new Map(
  DOCS.split(/^##(?=#? )/m)
    .slice(1)
    .filter((part) => part.startsWith("# "))
    .map((part) => [part.slice(2, part.indexOf("\n")), part]),
);

const ALL = await documentedCommands();
const LEAVES = ALL.flatMap(([name, loaded]) => ("command" in loaded ? [[name, loaded.command] as const] : []));
const FAMILIES = ALL.flatMap(([name, loaded]) => ("family" in loaded ? [[name, loaded.family] as const] : []));

/** Maximum lines of a help text, so that it fits a screen. */
const SCREEN_LINES = 40;

/** The words that the rules of a command may name: its arguments, its flags, and flags with one of their values. */
function ruleWords({ positionals, flags }: Command): readonly string[] {
  const places = Object.keys(positionals).map((place) => `<${place}>`);
  const values = Object.entries(flags).flatMap(([name, flag]) =>
    flag.type === "enum" ? flag.options.map((option) => `--${name} ${option}`) : [],
  );
  return [...places, ...Object.keys(flags).map((name) => `--${name}`), ...values];
}

function rulesOf(row: ArgumentRules & { readonly replacedBy?: readonly string[] }): readonly string[] {
  return [...(row.needs ?? []), ...(row.excludes ?? []), ...(row.replacedBy ?? [])];
}

describe("docs/cli.md", () => {
  test("has notes on commands that there are, in their order", () => {
    const general = ["Exit status", "Environment"];
    const sections = [...SECTIONS.keys()].filter((name) => !general.includes(name));

    expect(sections).toEqual(ALL.map(([name]) => name).filter((name) => sections.includes(name)));
  });
});

describe("help", () => {
  test("programHelp names every command with its summary", () => {
    const help = formatProgramHelp();

    for (const [name, { summary }] of Object.entries(COMMANDS))
      expect(help).toContain(`  ${name}`.padEnd(14) + summary);
  });

  for (const [name, family] of FAMILIES) {
    test(`familyHelp of ${name} fits a screen, lists every command and has an example`, () => {
      const help = formatFamilyHelp(name, family);

      for (const [member, { summary }] of Object.entries(family.commands)) {
        expect(help).toMatch(new RegExp(`^  ${member} +${summary.split(" ")[0]}`, "m"));
      }
      expect(family.examples.length).toBeGreaterThan(0);
      expect(help.split("\n").length).toBeLessThanOrEqual(SCREEN_LINES);
    });
  }

  for (const [name, command] of LEAVES) {
    test(`commandHelp of ${name} has summary, usage, every flag and an example that begins with planner`, () => {
      const help = formatCommandHelp(name, command);

      const [summary, usage] = help.split("\n\n");
      expect(summary?.replaceAll("\n", " ")).toBe(command.summary);
      expect(usage).toStartWith(`Usage:\n  planner ${name}`);
      for (const rule of Object.values({ ...command.positionals, ...command.flags }).flatMap(rulesOf)) {
        expect(ruleWords(command)).toContain(rule);
      }
      for (const flag of Object.keys({ ...command.flags, ...GLOBAL_FLAGS })) expect(help).toContain(`--${flag}`);
      const joined = (command.joined ?? []).flatMap(({ flags }) => flags);
      expect(Object.keys(command.flags)).toEqual(expect.arrayContaining(joined));
      expect(command.examples.length).toBeGreaterThan(0);
      for (const { line } of command.examples) expect(line).toContain("planner ");
      expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
      expect(help.split("\n").length).toBeLessThanOrEqual(SCREEN_LINES);
    });
  }
});
