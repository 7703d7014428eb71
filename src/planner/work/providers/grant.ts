/** Actions that the agent of a run may take without confirmation, because no person is present to confirm them. */
export interface AgentGrant {
  /** The kind of run; a split only reads. */
  readonly task: "work" | "split";
  /** The lines of `verify.commands`, which the agent may run exactly as they are. */
  readonly commands: readonly string[];
}

/** Function that returns an agent's setting that allows the denied calls; null for an agent without such a setting. */
export type BuildAllowSetting = ((denied: readonly string[]) => string) | null;

/** Prefixes of the git commands that every run may use to commit and to read its state. */
export const GIT_COMMANDS = ["git add", "git commit", "git status"] as const;

/** Planner commands that are useful to an agent; its MCP tools cover the others. */
export const PLANNER_COMMANDS = ["check", "diagnose", "lint", "list", "log", "ready", "search", "show", "status"].map(
  (name) => `planner ${name}`,
);

/** Returns a shell line and its single commands, because some agents check each command. Quoted text is not split. */
export function splitShellCommands(line: string): readonly string[] {
  const parts = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^"'\\;&|\n])+/g) ?? [];
  return [...new Set([line.trim(), ...parts.map((part) => part.trim())])].filter((part) => part !== "");
}

/**
 * Returns rules such as `Bash(git add:*)` that allow git, planner and the granted commands in a shell.
 *
 * @param shell the agent's name of the shell tool
 * @param anyArguments the agent's pattern for any further arguments
 */
export function buildShellRules(
  shell: string,
  anyArguments: string,
  commands: AgentGrant["commands"],
): readonly string[] {
  const prefixRules = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => `${shell}(${start}${anyArguments})`);
  return [...prefixRules, ...commands.flatMap(splitShellCommands).map((line) => `${shell}(${line})`)];
}

/** A denied tool call: the name of the tool and, for the shell tool, the command line. */
export interface DeniedCall {
  readonly tool: string;
  readonly line: string | null;
}

/** Parses a denial such as `Bash curl -s x`. @param shell name of the shell tool in denials */
export function parseDeniedCall(denied: string, shell: string): DeniedCall {
  const [tool = "", ...rest] = denied.split(" ");
  return { tool, line: tool === shell && rest.length > 0 ? rest.join(" ") : null };
}

/** Returns the rules that allow the denied calls: `Bash curl -s x` becomes `Bash(curl -s x)`. */
export function buildRulesForDenials(denied: readonly string[], shell: string): readonly string[] {
  const calls = denied.map((what) => parseDeniedCall(what, shell));
  return [...new Set(calls.map(({ tool, line }) => (line === null ? tool : `${tool}(${line})`)))];
}

/** Returns the setting that adds arguments to an agent's command line, as one line of YAML. */
export function formatArgumentsSetting(provider: string, args: readonly string[]): string {
  return `providers.${provider}.args: [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`;
}

/** Planner commands that always fail within a run, so a rule that allows one has no effect. */
export const COMMANDS_REFUSED_IN_RUNS = [
  "approve",
  "archive",
  "merge",
  "pause",
  "split",
  "takeover",
  "trust",
  "watch",
  "work",
];

const REFUSED_COMMAND = new RegExp(`^(?:\\S*/)?planner (?:${COMMANDS_REFUSED_IN_RUNS.join("|")})(?= |$)`);

/** Names of the shell tool in denials. */
const SHELL_TOOLS: ReadonlySet<string> = new Set(["Bash", "bash", "run_shell_command", "shell"]);

/** Whether a rule for this call would allow every command: the call names no command, or one with a wildcard. */
function allowsAnyCommand(denied: string): boolean {
  const [tool = "", command = ""] = denied.trim().split(/\s+/);
  return SHELL_TOOLS.has(tool) && (command === "" || command.includes("*"));
}

/**
 * Returns the setting that allows the denied calls; null if no call remains or the agent has no setting. Omits planner
 * commands that always fail within a run, truncated calls, and calls whose rule would allow every command. Also omits
 * calls that contain the spec's id, because their rule would match no other run.
 */
export function buildAllowSetting(
  allowing: BuildAllowSetting,
  denied: readonly string[],
  specId: string,
): string | null {
  const allowable = denied.filter((what) => {
    const [, ...words] = what.split(" ");
    return (
      !allowsAnyCommand(what) &&
      !what.includes(specId) &&
      !what.endsWith("…") &&
      !splitShellCommands(words.join(" ")).some((line) => REFUSED_COMMAND.test(line))
    );
  });
  return allowing === null || allowable.length === 0 ? null : allowing(allowable);
}
