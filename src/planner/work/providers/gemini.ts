import { AGENT_FILES } from "../mcp_config/agent_files.ts";
import { commandsIn, GIT_COMMANDS, type Grant, PLANNER_COMMANDS } from "./grant.ts";
import type { ProviderRow } from "./provider_row.ts";

export const gemini: ProviderRow = {
  title: "Gemini CLI",
  program: "gemini",
  // Without a terminal, and with the prompt on standard input, it runs headless by itself.
  args: ["--output-format", "stream-json"],
  guardedArgs: ({ task }) => [
    ...["--approval-mode", task === "split" ? "default" : "auto_edit"],
    ...["--policy", "{run_file}"],
  ],
  skipArgs: ["--approval-mode", "yolo"],
  skipWords: ["--yolo", "-y", "yolo", "--skip-trust"],
  modelArgs: ["--model", "{model}"],
  resumeArgs: (session) => ["--resume", session],
  newSessionArgs: null,
  lastArgs: [],
  promptVia: "stdin",
  stream: "gemini",
  mcp: { kind: "project_file", file: AGENT_FILES.gemini },
  runFile: { suffix: ".policy.toml", text: (_, grant) => (grant === null ? "" : policy(grant)) },
  env: {},
  writableArgs: null,
  // The pages "Headless mode" and "Troubleshooting" name these.
  exits: {
    41: "authentication failed",
    42: "it did not accept the prompt or an argument",
    44: "its sandbox failed",
    52: "its settings are invalid",
    53: "it reached its limit of turns",
    54: "one of its tools failed beyond repair",
    55: "it does not trust the folder",
    130: "it was cancelled",
  },
  allowing: (denied) => `a rule for ${JSON.stringify(denied)} in ~/.gemini/policies/*.toml`,
};

const SPLIT_POLICY = rule({ toolName: ["write_file", "replace", "run_shell_command"], decision: "deny" });

/** Source: geminicli.com/docs/reference/policy-engine. Its rules for a project's own folder have no effect. */
function policy({ task, commands }: Grant): string {
  if (task === "split") return SPLIT_POLICY;
  const exact = commands.flatMap(commandsIn).map((line) =>
    // The expression is tried on the call as JSON; the quote behind the line keeps longer lines out.
    rule({ commandRegex: escaped(JSON.stringify(line).slice(1)), decision: "allow", allowRedirection: true }),
  );
  return [
    rule({ mcpName: "planner", toolName: "*", decision: "allow" }),
    rule({ toolName: "run_shell_command", commandPrefix: [...GIT_COMMANDS, ...PLANNER_COMMANDS], decision: "allow" }),
    ...exact,
  ].join("\n");
}

function rule(fields: Readonly<Record<string, string | boolean | readonly string[]>>): string {
  const shell = "commandRegex" in fields ? { toolName: "run_shell_command" } : {};
  const lines = Object.entries({ ...shell, ...fields, priority: 900 }).map(
    ([key, value]) => `${key} = ${JSON.stringify(value).replaceAll("\x7f", "\\u007F")}`,
  );
  return `[[rule]]\n${lines.join("\n")}\n`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
