/** What the agent of a run may do without a question, since no person is there to answer one. */
export interface Grant {
  /** A split only reads. */
  readonly task: "work" | "split";
  /** The lines of `verify.commands`, to be run exactly as they are. */
  readonly commands: readonly string[];
}

/** Returns the one setting of an agent that allows commands and tools which it denied; null if it has none. */
export type Allowing = ((denied: readonly string[]) => string) | null;

/** Prefixes of the commands that every run may use, to commit and to read its state. */
export const GIT_COMMANDS = ["git add", "git commit", "git status"] as const;

/** The commands of planner that an agent has a use for; its tools do the rest. */
export const PLANNER_COMMANDS = ["check", "diagnose", "lint", "list", "log", "ready", "search", "show", "status"].map(
  (name) => `planner ${name}`,
);

/**
 * A line of the shell with the single commands in it: agents that judge each command of a line by itself need both.
 *
 * Quoted text is not taken apart.
 */
export function commandsIn(line: string): readonly string[] {
  const parts = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^"'\\;&|\n])+/g) ?? [];
  return [...new Set([line.trim(), ...parts.map((part) => part.trim())])].filter((part) => part !== "");
}

/**
 * Rules that allow git, planner and the granted commands in a shell, as `Bash(git add:*)`.
 *
 * @param shell the agent's name of the shell's tool
 * @param anyArguments the agent's pattern for any further arguments
 */
export function shellRules(shell: string, anyArguments: string, commands: Grant["commands"]): readonly string[] {
  const begun = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => `${shell}(${start}${anyArguments})`);
  return [...begun, ...commands.flatMap(commandsIn).map((line) => `${shell}(${line})`)];
}

/** A call that an agent was denied: the name of its tool, and the line if that tool is the shell. */
export interface DeniedCall {
  readonly tool: string;
  readonly line: string | null;
}

/** Reads a denial, `Bash curl -s x` say. @param shell name of the shell's tool in denials */
export function deniedCall(denied: string, shell: string): DeniedCall {
  const [tool = "", ...rest] = denied.split(" ");
  return { tool, line: tool === shell && rest.length > 0 ? rest.join(" ") : null };
}

/** The rules that allow what denials name: `Bash curl -s x` becomes `Bash(curl -s x)`. */
export function rulesOf(denied: readonly string[], shell: string): readonly string[] {
  const calls = denied.map((what) => deniedCall(what, shell));
  return [...new Set(calls.map(({ tool, line }) => (line === null ? tool : `${tool}(${line})`)))];
}

/** The setting that adds arguments to an agent's command line, as one line of YAML. */
export function argumentsLine(provider: string, args: readonly string[]): string {
  return `providers.${provider}.args: [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`;
}

/** Commands of planner that refuse to run below a run: a rule that allows one has no effect. */
export const REFUSED_COMMANDS = ["approve", "archive", "merge", "pause", "split", "takeover", "trust", "watch", "work"];

const REFUSED = new RegExp(`^(?:\\S*/)?planner (?:${REFUSED_COMMANDS.join("|")})(?= |$)`);

/** Names of the shell's tool in denials. */
const SHELLS: ReadonlySet<string> = new Set(["Bash", "bash", "run_shell_command", "shell"]);

/** Whether a rule for this call would allow the shell every command: it names none, or begins with a wildcard. */
function isAnyCommand(denied: string): boolean {
  const [tool = "", command = ""] = denied.trim().split(/\s+/);
  return SHELLS.has(tool) && (command === "" || command.includes("*"));
}

/**
 * Returns the one setting that allows what may be allowed of these calls, or null if nothing may or the agent has no such
 * setting. Left out are calls that a run refuses anyway, those that were cut, and those that name the worked spec or a path
 * of it: a rule for these would fit no other run. Left out as well are those whose rule would allow every command.
 */
export function allowingLine(allowing: Allowing, denied: readonly string[], specId: string): string | null {
  const useful = denied.filter((what) => {
    const [, ...words] = what.split(" ");
    return (
      !isAnyCommand(what) &&
      !what.includes(specId) &&
      !what.endsWith("…") &&
      !commandsIn(words.join(" ")).some((line) => REFUSED.test(line))
    );
  });
  return allowing === null || useful.length === 0 ? null : allowing(useful);
}
