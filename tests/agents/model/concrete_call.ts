import type { Call } from "./script.ts";

/** A tool that an agent offers the model. */
export interface Offered {
  readonly name: string;
  /** The group that it belongs to, where the protocol has groups. */
  readonly namespace?: string;
  /** Its name within the group. */
  readonly short?: string;
}

/** A call as the agent's own tools want it. */
export interface ConcreteCall {
  readonly tool: Offered;
  readonly input: Readonly<Record<string, unknown>> | string;
  /** False when no such tool is offered, or not yet. */
  readonly offered: boolean;
}

type Row<K extends Call["kind"]> = readonly [
  name: string,
  input: (call: Extract<Call, { kind: K }>) => Readonly<Record<string, unknown>> | string,
];

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const SHELL: readonly Row<"shell">[] = [
  ["Bash", ({ line }) => ({ command: line, description: "run it" })],
  ["exec_command", ({ line }) => ({ cmd: line, yield_time_ms: 20_000 })],
  ["shell_command", ({ line }) => ({ command: line })],
  ["shell", ({ line }) => ({ command: ["bash", "-lc", line] })],
  ["run_shell_command", ({ line }) => ({ command: line, description: "run it" })],
  ["bash", ({ line }) => ({ command: line, description: "run it" })],
];

const WRITE: readonly Row<"write">[] = [
  ["Write", ({ path, text }) => ({ file_path: path, content: text })],
  ["write_file", ({ path, text }) => ({ file_path: path, content: text })],
  ["write", ({ path, text }) => ({ filePath: path, content: text })],
  ["create", ({ path, text }) => ({ path, file_text: text })],
  [
    "apply_patch",
    ({ path, text }) =>
      `*** Begin Patch\n*** Add File: ${path}\n${text
        .trimEnd()
        .split("\n")
        .map((line) => `+${line}`)
        .join("\n")}\n*** End Patch\n`,
  ],
];

const REPLACE: readonly Row<"replace">[] = [
  ["Edit", ({ path, from, to }) => ({ file_path: path, old_string: from, new_string: to })],
  ["replace", ({ path, from, to }) => ({ file_path: path, old_string: from, new_string: to, instruction: "check it" })],
  ["edit", ({ path, from, to }) => ({ filePath: path, oldString: from, newString: to })],
];

/** Qwen's `edit` has the name of opencode's and the arguments of Gemini's `replace`. */
const REPLACE_SNAKE: readonly Row<"replace">[] = [
  ...REPLACE.slice(0, 2),
  ["edit", ({ path, from, to }) => ({ file_path: path, old_string: from, new_string: to })],
];

/** Copilot's. */
const REPLACE_STR: readonly Row<"replace">[] = [
  ["edit", ({ path, from, to }) => ({ path, old_str: from, new_str: to })],
];

const READ: readonly Row<"read">[] = [
  ["Read", ({ path }) => ({ file_path: path })],
  ["read_file", ({ path }) => ({ file_path: path })],
  ["read", ({ path }) => ({ filePath: path })],
  ["view", ({ path }) => ({ path })],
];

/** Finds the agent's own tool for a call; an agent without one for files is given a line for its shell. */
export function concreteCall(call: Call, offered: readonly Offered[]): ConcreteCall {
  switch (call.kind) {
    case "planner": {
      const tool = offered.find(({ name }) => name.includes("planner") && name.endsWith(`planner_${call.tool}`));
      const missing = { name: `mcp__planner__planner_${call.tool}` };
      return { tool: tool ?? missing, input: call.args, offered: tool !== undefined };
    }
    case "shell":
      return pick(SHELL, call, offered) ?? { tool: { name: "Bash" }, input: { command: call.line }, offered: false };
    case "write":
      return (
        pick(WRITE, call, offered) ??
        shellCall(
          `mkdir -p "$(dirname ${quoted(call.path)})"; printf %s ${quoted(call.text)} > ${quoted(call.path)}`,
          offered,
        )
      );
    case "replace":
      return (
        pick(replaceRows(offered), call, offered) ??
        shellCall(
          `sed -i ${quoted(`s|${call.from.replace(/[[\]]/g, "\\$&")}|${call.to}|`)} ${quoted(call.path)}`,
          offered,
        )
      );
    case "read":
      return pick(READ, call, offered) ?? shellCall(`cat ${quoted(call.path)}`, offered);
  }
}

/** Three agents call their tool `edit` and want other arguments. */
function replaceRows(offered: readonly Offered[]): readonly Row<"replace">[] {
  const has = (tool: string): boolean => offered.some(({ name }) => name === tool);
  if (has("create")) return REPLACE_STR;
  return has("write_file") ? REPLACE_SNAKE : REPLACE;
}

function shellCall(line: string, offered: readonly Offered[]): ConcreteCall {
  return concreteCall({ kind: "shell", line }, offered);
}

function pick<K extends Call["kind"]>(
  rows: readonly Row<K>[],
  call: Extract<Call, { kind: K }>,
  offered: readonly Offered[],
): ConcreteCall | undefined {
  for (const [name, input] of rows) {
    const tool = offered.find((one) => (one.short ?? one.name) === name);
    if (tool !== undefined) return { tool, input: input(call), offered: true };
  }
  return undefined;
}
