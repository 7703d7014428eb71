import { argumentSummary, exclusionText, flagSummary, flagUse } from "./argument_rules.ts";
import type { Command, Example, Flag, Positional } from "./command.ts";
import { COMMANDS, type CommandFamily, type CommandGroup, type CommandTable } from "./commands.ts";
import { outputWidth, paint } from "./output/terminal.ts";
import { wrapWords } from "./output/wrap_text.ts";
import { GLOBAL_FLAGS, PROGRAM_FLAGS } from "./strict_command.ts";

/** Columns of help without a terminal. */
const USUAL_COLUMNS = 80;
const MOST_COLUMNS = 110;
/** Widest flag that has its text beside it; the text of a wider one starts on the next line. */
const MOST_HEAD_COLUMNS = 27;

/** Narrowest text beside a head. */
const LEAST_TEXT_COLUMNS = 24;

const GROUP_TITLES: Readonly<Record<CommandGroup, string>> = {
  project: "Project",
  specs: "Specs",
  agents: "Agents",
  state: "State",
  checks: "Checks",
  exchange: "Exchange",
  datacenter: "Datacenter",
};

/** `planner --help`: every command with one line. */
export function programHelp(): string {
  const about = "Manage units of work as Markdown specs under `.planner/`, serve them to agents and run agents on them";
  const lines = [...wrapWords(about, columns()), ""];
  lines.push(heading("Usage:"), "  planner <command> [arguments] [flags]", "");
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  for (const [group, title] of Object.entries(GROUP_TITLES)) {
    lines.push(heading(`${title}:`));
    for (const [name, entry] of Object.entries(COMMANDS)) {
      if (entry.group === group) lines.push(...item(name, entry.summary, width));
    }
    lines.push("");
  }
  lines.push(heading("Flags:"), ...flagLines({ ...GLOBAL_FLAGS, ...PROGRAM_FLAGS }), "");
  lines.push("Run `planner <command> --help` for the arguments, flags and examples of a command");
  return `${lines.join("\n")}\n`;
}

/** `planner <command> --help`. */
export function commandHelp(name: string, command: Command): string {
  const lines = [...wrapWords(command.summary, columns()), "", heading("Usage:"), `  ${usageLine(name, command)}`, ""];
  if (command.details !== undefined) lines.push(...wrapWords(command.details, columns()), "");
  const places = Object.entries(command.positionals);
  if (places.length > 0) {
    const width = Math.max(...places.map(([place]) => place.length));
    lines.push(
      heading("Arguments:"),
      ...places.flatMap(([place, declared]) => item(place, placeText(declared), width)),
      "",
    );
  }
  const { flags, joined } = command;
  if (Object.keys(flags).length > 0) lines.push(heading("Flags:"), ...flagLines(flags, joined), "");
  lines.push(globalFlagsLine(), "", ...exampleLines(command.examples));
  return `${lines.join("\n")}\n`;
}

/** `planner <family> --help`: its commands with one line each. */
export function familyHelp(name: string, { details, commands, examples }: CommandFamily): string {
  const lines = [heading("Usage:"), `  planner ${name} <command> [arguments] [flags]`, ""];
  if (details !== undefined) lines.push(...wrapWords(details, columns()), "");
  const width = Math.max(...Object.keys(commands).map((member) => member.length));
  lines.push(heading("Commands:"), ...tableLines(commands, width), "");
  lines.push(globalFlagsLine(), "", ...exampleLines(examples), "");
  const more = `Run \`planner ${name} <command> --help\` for the arguments, flags and examples of a command`;
  lines.push(...wrapWords(more, columns()));
  return `${lines.join("\n")}\n`;
}

function tableLines(commands: CommandTable, width: number): readonly string[] {
  return Object.entries(commands).flatMap(([name, { summary }]) => item(name, summary, width));
}

/** Names the flags that every command has, on one line; `programHelp` describes them. */
function globalFlagsLine(): string {
  const heads = Object.entries(GLOBAL_FLAGS).map(([name, flag]) => flagHead(name, flag).trim());
  return `${heading("Flags of every command:")} ${heads.join(", ")}`;
}

function exampleLines(examples: readonly Example[]): readonly string[] {
  const longest = Math.max(...examples.map(({ line }) => line.length));
  const isAligned =
    longest + 4 + LEAST_TEXT_COLUMNS <= columns() &&
    examples.every(({ shows }) => longest + shows.length + 4 <= columns());
  const width = isAligned ? longest : 0;
  return [heading("Examples:"), ...examples.flatMap(({ line, shows }) => item(line, shows, width))];
}

/** `planner list [flags]`, as help and docs show it. */
export function usageLine(name: string, command: Command): string {
  const places = Object.entries(command.positionals).map(([place, { required, repeats }]) => {
    const shown = repeats === true ? `${place}...` : place;
    return required ? `<${shown}>` : `[${shown}]`;
  });
  return ["planner", name, ...places, ...(Object.keys(command.flags).length > 0 ? ["[flags]"] : [])].join(" ");
}

/** Summary of an argument with its options, as help and docs show it. */
export function placeText(declared: Positional): string {
  const summary = argumentSummary(declared);
  return declared.options === undefined ? summary : `${summary}: ${declared.options.join(", ")}`;
}

/**
 * Lines of flags in their order. The flags of one entry of `joined` share a line, in the position of its first flag. What
 * a flag excludes is shown if it takes no further line; docs/commands.md has all of it.
 */
function flagLines(flags: Readonly<Record<string, Flag>>, joined: Command["joined"] = []): readonly string[] {
  const entries = Object.entries(flags).flatMap(([name, flag]) => {
    const group = joined.find((one) => one.flags.includes(name));
    if (group === undefined) return [{ head: flagHead(name, flag), text: flagText(flag), more: exclusionText(flag) }];
    if (group.flags[0] !== name) return [];
    const others = group.flags.slice(1).map((other) => flagHead(other, flags[other] ?? flag).trim());
    return [{ head: [flagHead(name, flag), ...others].join(", "), text: group.summary, more: "" }];
  });
  const heads = entries.map(({ head }) => head.length).filter((length) => length <= MOST_HEAD_COLUMNS);
  const width = Math.max(0, ...heads);
  return entries.flatMap(({ head, text, more }) => {
    const [short, whole] = [item(head, text, width), item(head, text + more, width)];
    return whole.length > short.length ? short : whole;
  });
}

/** `-l, --label <label>`; a flag without a short form is indented by its width. */
export function flagHead(name: string, flag: Flag): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return short + flagUse(name, flag);
}

/** Summary of a flag with its options, as help and docs show it. */
export function flagText(flag: Flag): string {
  const options = flag.type === "enum" ? `: ${flag.options.join(", ")}` : "";
  const repeats = "multiple" in flag ? " (repeatable)" : "";
  const required = "required" in flag ? " (required)" : "";
  return `${flagSummary(flag)}${options}${repeats}${required}`;
}

// Head and text side by side, with the text wrapped in its column; below the head if the screen is too narrow for both.
function item(head: string, text: string, width: number): readonly string[] {
  if (head.length > width && head.length + text.length + 4 <= columns()) return [`  ${head}  ${text}`];
  const indent = width + 4;
  const left = columns() - indent;
  if (left < LEAST_TEXT_COLUMNS) return [`  ${head}`, ...wrapWords(text, columns() - 6).map((line) => `      ${line}`)];
  if (head.length > width) return [`  ${head}`, ...wrapWords(text, left).map((line) => " ".repeat(indent) + line)];
  const [first = "", ...rest] = wrapWords(text, left);
  return [`  ${head.padEnd(width)}  ${first}`, ...rest.map((line) => " ".repeat(indent) + line)];
}

function columns(): number {
  return Math.min(MOST_COLUMNS, outputWidth() ?? USUAL_COLUMNS);
}

function heading(text: string): string {
  return paint(text, "bold");
}
