import { type Args, type Flag, type Flags, isFlag, type Positional, selectFlags, selectPositionals } from "./args.ts";
import {
  type Declaration,
  describeMember,
  type Examples,
  type FamilyDeclaration,
  type Members,
} from "./declaration.ts";
import { getOutputWidth, paint } from "./output/print.ts";
import { wrapWords } from "./output/wrap_text.ts";
import {
  formatArgumentSummary,
  formatExclusions,
  formatFlagSummary,
  formatFlagUse,
  GLOBAL_FLAGS,
  PROGRAM_FLAGS,
} from "./strict_command.ts";

/** Environment variables of the command line with their effects, for the documentation and the manual page. */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  NO_COLOR: "Any value disables colours; overrides `FORCE_COLOR`",
  FORCE_COLOR: "Any value but `0` enables colours without a terminal",
  COLUMNS: "Width of tables and help (default: the terminal's)",
  "VISUAL, EDITOR": "Editor of `planner edit` and `planner review`, with its arguments (default: `vi`)",
  "GIT_PAGER, PAGER":
    "Pager of `planner review`; git's own setting `core.pager` counts if it is not the repository's (default: `less`)",
  PLANNER_PROGRESS_SECONDS: "Seconds between two progress reports of `planner work` without a terminal (default: 60)",
  PLANNER_DEBUG: "`1` prints the stack of a bug in planner",
};

/** Width of help in columns if the output is not a terminal. */
const DEFAULT_COLUMNS = 80;
const MAX_COLUMNS = 110;
/** Maximum width of a flag whose text is beside it; the text of a wider flag starts on the next line. */
const MAX_HEAD_COLUMNS = 27;

/** Minimum width of the text beside a flag. */
const MIN_TEXT_COLUMNS = 24;

/** Formats `planner --help`: every command with one line, below the title of its group. */
export function formatProgramHelp(commands: Readonly<Record<string, Members>>): string {
  const about = "Manage units of work as Markdown specs under `.planner/`, serve them to agents and run agents on them";
  const names = Object.values(commands).flatMap((members) => Object.keys(members));
  const width = Math.max(...names.map((name) => name.length));
  const groups = Object.entries(commands).flatMap(([title, members]) => [
    formatHeading(`${title}:`),
    ...formatMembers(members, width),
    "",
  ]);
  const lines = [
    ...[...wrapWords(about, getHelpWidth()), ""],
    ...[formatHeading("Usage:"), "  planner <command> [arguments] [flags]", ""],
    ...groups,
    ...[formatHeading("Flags:"), ...formatFlags({ ...GLOBAL_FLAGS, ...PROGRAM_FLAGS }), ""],
    "Run `planner <command> --help` for the arguments, flags and examples of a command",
  ];
  return `${lines.join("\n")}\n`;
}

/** Formats `planner <command> --help`. */
export function formatCommandHelp({ meta, details, args = {}, joined, examples }: Omit<Declaration, "run">): string {
  const lines = [
    ...wrapWords(meta.description, getHelpWidth()),
    "",
    formatHeading("Usage:"),
    `  ${formatUsage(meta.name, args)}`,
    "",
  ];
  if (details !== undefined) lines.push(...wrapWords(details, getHelpWidth()), "");
  const places = Object.entries(selectPositionals(args));
  if (places.length > 0) {
    const width = Math.max(...places.map(([place]) => place.length));
    lines.push(
      formatHeading("Arguments:"),
      ...places.flatMap(([place, declared]) => formatHelpRow(place, formatPositional(declared), width)),
      "",
    );
  }
  const flags = selectFlags(args);
  if (Object.keys(flags).length > 0) lines.push(formatHeading("Flags:"), ...formatFlags(flags, joined), "");
  lines.push(formatGlobalFlags(), "", ...formatExamples(examples));
  return `${lines.join("\n")}\n`;
}

/** Formats `planner <family> --help`: its commands with one line each. */
export function formatFamilyHelp({ meta: { name }, details, subCommands, examples }: FamilyDeclaration): string {
  const lines = [formatHeading("Usage:"), `  planner ${name} <command> [arguments] [flags]`, ""];
  if (details !== undefined) lines.push(...wrapWords(details, getHelpWidth()), "");
  const width = Math.max(...Object.keys(subCommands).map((member) => member.length));
  lines.push(formatHeading("Commands:"), ...formatMembers(subCommands, width), "");
  lines.push(formatGlobalFlags(), "", ...formatExamples(examples), "");
  const more = `Run \`planner ${name} <command> --help\` for the arguments, flags and examples of a command`;
  lines.push(...wrapWords(more, getHelpWidth()));
  return `${lines.join("\n")}\n`;
}

function formatMembers(members: Members, width: number): readonly string[] {
  return Object.entries(members).flatMap(([name, member]) => formatHelpRow(name, describeMember(member), width));
}

/** Lists the flags that every command has, on one line; `formatProgramHelp` describes them. */
function formatGlobalFlags(): string {
  const heads = Object.entries(GLOBAL_FLAGS).map(([name, flag]) => formatFlagHead(name, flag).trim());
  return `${formatHeading("Flags of every command:")} ${heads.join(", ")}`;
}

function formatExamples(examples: Examples): readonly string[] {
  const rows = Object.entries(examples);
  const longest = Math.max(...rows.map(([line]) => line.length));
  const isAligned =
    longest + 4 + MIN_TEXT_COLUMNS <= getHelpWidth() &&
    rows.every(([, shows]) => longest + shows.length + 4 <= getHelpWidth());
  const width = isAligned ? longest : 0;
  return [formatHeading("Examples:"), ...rows.flatMap(([line, shows]) => formatHelpRow(line, shows, width))];
}

/** Formats the usage line, such as `planner list [flags]`, for help and docs. */
export function formatUsage(name: string, args: Args): string {
  const places = Object.entries(selectPositionals(args)).map(([place, { required, repeats }]) => {
    const shown = repeats === true ? `${place}...` : place;
    return required ? `<${shown}>` : `[${shown}]`;
  });
  return ["planner", name, ...places, ...(Object.values(args).some(isFlag) ? ["[flags]"] : [])].join(" ");
}

/** Formats the summary of an argument with its options, for help and docs. */
export function formatPositional(declared: Positional): string {
  const summary = formatArgumentSummary(declared);
  return declared.options === undefined ? summary : `${summary}: ${declared.options.join(", ")}`;
}

/**
 * Formats the flags in their order. The flags of one entry of `joined` share a line at the position of its first flag.
 * The flags that a flag excludes are shown only if they need no further line; docs/commands.md lists them all.
 */
function formatFlags(flags: Flags, joined: Declaration["joined"] = []): readonly string[] {
  const entries = Object.entries(flags).flatMap(([name, flag]) => {
    const group = joined.find((one) => one.flags.includes(name));
    if (group === undefined)
      return [{ head: formatFlagHead(name, flag), text: formatFlagText(flag), more: formatExclusions(flag) }];
    if (group.flags[0] !== name) return [];
    const others = group.flags.slice(1).map((other) => formatFlagHead(other, flags[other] ?? flag).trim());
    return [{ head: [formatFlagHead(name, flag), ...others].join(", "), text: group.summary, more: "" }];
  });
  const heads = entries.map(({ head }) => head.length).filter((length) => length <= MAX_HEAD_COLUMNS);
  const width = Math.max(0, ...heads);
  return entries.flatMap(({ head, text, more }) => {
    const [short, whole] = [formatHelpRow(head, text, width), formatHelpRow(head, text + more, width)];
    return whole.length > short.length ? short : whole;
  });
}

/** Formats a flag with its placeholder: `-l, --label <label>`. A flag without a short form is indented to align. */
export function formatFlagHead(name: string, flag: Flag): string {
  const short = flag.alias === undefined ? "    " : `-${flag.alias}, `;
  return short + formatFlagUse(name, flag);
}

/** Formats the summary of a flag with its options, for help and docs. */
export function formatFlagText(flag: Flag): string {
  const options = flag.type === "enum" ? `: ${flag.options.join(", ")}` : "";
  const repeats = "multiple" in flag ? " (repeatable)" : "";
  const required = "required" in flag ? " (required)" : "";
  return `${formatFlagSummary(flag)}${options}${repeats}${required}`;
}

// Formats head and text side by side, with the text wrapped in its column, or below each other if the screen is too
// narrow.
function formatHelpRow(head: string, text: string, width: number): readonly string[] {
  if (head.length > width && head.length + text.length + 4 <= getHelpWidth()) return [`  ${head}  ${text}`];
  const indent = width + 4;
  const left = getHelpWidth() - indent;
  if (left < MIN_TEXT_COLUMNS)
    return [`  ${head}`, ...wrapWords(text, getHelpWidth() - 6).map((line) => `      ${line}`)];
  if (head.length > width) return [`  ${head}`, ...wrapWords(text, left).map((line) => " ".repeat(indent) + line)];
  const [first = "", ...rest] = wrapWords(text, left);
  return [`  ${head.padEnd(width)}  ${first}`, ...rest.map((line) => " ".repeat(indent) + line)];
}

function getHelpWidth(): number {
  return Math.min(MAX_COLUMNS, getOutputWidth() ?? DEFAULT_COLUMNS);
}

function formatHeading(text: string): string {
  return paint(text, "bold");
}
