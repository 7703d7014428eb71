import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT_MEANINGS, EXIT_STATUS } from "../src/cli/exit_status.ts";
import { ENVIRONMENT_VARIABLES } from "../src/cli/help.ts";
import { type Release, timestamp } from "./release.ts";
import { run } from "./shell.ts";

/** One entry of `planner --help`. */
interface Entry {
  readonly name: string;
  readonly summary: string;
}

/**
 * Writes the manual pages `planner.1` and `planner-<command>.1`, made from the help of a program that runs here.
 * @param program path of the executable
 */
export function writeManual(program: string, folder: string, release: Release): void {
  mkdirSync(folder, { recursive: true });
  const help = (...words: string[]) => run(program, words, { env: { COLUMNS: "78", NO_COLOR: "1" } });
  const overview = help("--help");
  const commands = entries(overview);
  if (commands.length < 30) throw new Error(`planner --help lists ${commands.length} commands: expected at least 30`);
  const list = commands.map(({ name, summary }) => `.TP\n\\fBplanner-${name}\\fR(1)\n${roff(summary)}`).join("\n");
  const about = "manage work specs with coding agents, and serve a datacenter inventory";
  const main = [title("planner", release), section("NAME"), `planner \\- ${about}`, section("SYNOPSIS")];
  main.push("\\fBplanner\\fR \\fIcommand\\fR [\\fIarguments\\fR] [\\fIflags\\fR]", section("COMMANDS"), list);
  main.push(section("EXIT STATUS"), ...statuses(), section("ENVIRONMENT"), ...terms(ENVIRONMENT_VARIABLES), "");
  writeFileSync(join(folder, "planner.1"), main.join("\n"));
  for (const { name, summary } of commands) {
    const page = [title(`planner-${name}`, release), section("NAME"), `planner-${name} \\- ${roff(summary)}`];
    page.push(section("DESCRIPTION"), ".nf", roff(help(name, "--help")), ".fi", section("SEE ALSO"), "planner(1)", "");
    writeFileSync(join(folder, `planner-${name}.1`), page.join("\n"));
  }
}

function statuses(): readonly string[] {
  const rows = Object.entries(EXIT_STATUS).map(([name, status]) => [String(status), EXIT_MEANINGS[name as "ok"]]);
  return terms(Object.fromEntries(rows));
}

/** Terms with their meanings. Code, which Markdown marks by backticks, is bold. */
function terms(rows: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(rows).map(
    ([term, meaning]) => `.TP\n\\fB${roff(term)}\\fR\n${roff(meaning).replace(/`([^`]*)`/g, "\\fB$1\\fR")}`,
  );
}

function entries(overview: string): readonly Entry[] {
  const rows = overview.split("\n").flatMap((line) => {
    const [, name, summary] = /^ {2}([a-z][a-z-]*) {2,}(\S.*)$/.exec(line) ?? [];
    return name === undefined || summary === undefined ? [] : [{ name, summary }];
  });
  return rows;
}

function title(name: string, release: Release): string {
  return `.TH "${name.toUpperCase()}" "1" "${timestamp(release).slice(0, 10)}" "planner ${release.version}" "User Commands"`;
}

const section = (name: string): string => `.SH ${name}`;

// A backslash is roff's escape, a hyphen a soft one, and a line that begins with a dot or a quote a request.
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");
}
