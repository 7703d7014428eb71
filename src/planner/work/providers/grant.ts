/** What the agent of a run may do without a question, since no person is there to answer one. */
export interface Grant {
  /** A split only reads. */
  readonly task: "work" | "split";
  /** The lines of `verify.commands`, to be run exactly as they are. */
  readonly commands: readonly string[];
}

/** Beginnings of the commands that every run may use: to commit, and to look at its own state. */
export const GIT_COMMANDS = ["git add", "git commit", "git status"] as const;

/** The commands of planner that an agent has a use for; its tools do the rest. */
export const PLANNER_COMMANDS = [
  "check",
  "diagnose",
  "lint",
  "list",
  "log",
  "ready",
  "search",
  "show",
  "status",
  "verify",
].map((name) => `planner ${name}`);

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
 * The rule that allows what a denial names: `Bash curl -s x` becomes `Bash(curl -s x)`.
 *
 * @param shell name of the shell's tool in denials
 * @param inRules its name in rules
 */
export function ruleOf(denied: string, shell: string, inRules: string = shell): string {
  const [tool = "", ...rest] = denied.split(" ");
  return tool === shell && rest.length > 0 ? `${inRules}(${rest.join(" ")})` : tool;
}
