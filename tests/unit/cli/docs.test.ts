import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Args, type ArgumentRules, isFlag, selectFlags } from "#cli/args.ts";
import { COMMANDS } from "#cli/commands.ts";
import { describeMember } from "#cli/declaration.ts";
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
const LEAVES = ALL.flatMap((one) => ("subCommands" in one ? [] : [one]));
const FAMILIES = ALL.flatMap((one) => ("subCommands" in one ? [one] : []));

/** Maximum lines of a help text, so that it fits a screen. */
const SCREEN_LINES = 40;

/** The words that the rules of a command may name: its arguments, its flags, and flags with one of their values. */
function ruleWords(args: Args): readonly string[] {
  return Object.entries(args).flatMap(([name, arg]) => {
    if (!isFlag(arg)) return [`<${name}>`];
    return [`--${name}`, ...(arg.type === "enum" ? arg.options.map((option) => `--${name} ${option}`) : [])];
  });
}

function rulesOf(row: ArgumentRules & { readonly replacedBy?: readonly string[] }): readonly string[] {
  return [...(row.needs ?? []), ...(row.excludes ?? []), ...(row.replacedBy ?? [])];
}

describe("docs/cli.md", () => {
  test("has notes on commands that there are, in their order", () => {
    const general = ["Exit status", "Environment"];
    const sections = [...SECTIONS.keys()].filter((name) => !general.includes(name));

    expect(sections).toEqual(ALL.map(({ meta }) => meta.name).filter((name) => sections.includes(name)));
  });
});

describe("help", () => {
  test("programHelp names every command with its summary", () => {
    const help = formatProgramHelp(COMMANDS);

    for (const [name, member] of Object.values(COMMANDS).flatMap(Object.entries))
      expect(help).toContain(`  ${name}`.padEnd(14) + describeMember(member));
  });

  for (const family of FAMILIES) {
    test(`familyHelp of ${family.meta.name} fits a screen, lists every command and has an example`, () => {
      const help = formatFamilyHelp(family);

      for (const [member, loaded] of Object.entries(family.subCommands)) {
        expect(help).toMatch(new RegExp(`^  ${member} +${describeMember(loaded).split(" ")[0]}`, "m"));
      }
      expect(family.examples).not.toEqual({});
      expect(help.split("\n").length).toBeLessThanOrEqual(SCREEN_LINES);
    });
  }

  for (const command of LEAVES) {
    const { meta, args = {}, joined = [] } = command;
    const { name } = meta;
    test(`commandHelp of ${name} has summary, usage, every flag and an example that begins with planner`, () => {
      const help = formatCommandHelp(command);

      const [summary, usage] = help.split("\n\n");
      expect(summary?.replaceAll("\n", " ")).toBe(meta.description);
      expect(usage).toStartWith(`Usage:\n  planner ${name}`);
      for (const rule of Object.values(args).flatMap(rulesOf)) {
        expect(ruleWords(args)).toContain(rule);
      }
      const flags = Object.keys({ ...selectFlags(args), ...GLOBAL_FLAGS });
      for (const flag of flags) expect(help).toContain(`--${flag}`);
      expect(flags).toEqual(expect.arrayContaining(joined.flatMap((row) => row.flags)));
      expect(command.examples).not.toEqual({});
      for (const line of Object.keys(command.examples)) expect(line).toContain("planner ");
      expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
      expect(help.split("\n").length).toBeLessThanOrEqual(SCREEN_LINES);
    });
  }
});
