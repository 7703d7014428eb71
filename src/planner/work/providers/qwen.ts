import { commandsIn, GIT_COMMANDS, type Grant, PLANNER_COMMANDS, ruleOf } from "./grant.ts";
import type { ProviderRow } from "./provider_row.ts";

export const qwen: ProviderRow = {
  title: "Qwen Code",
  program: "qwen",
  // Without a terminal, and with the prompt on standard input, it runs headless by itself.
  args: ["--output-format", "stream-json", "--mcp-config", "{mcp_config}"],
  guardedArgs: (grant) =>
    grant.task === "split"
      ? ["--approval-mode", "plan"]
      : ["--approval-mode", "auto-edit", ...allowed(grant).flatMap((rule) => ["--allowed-tools", rule])],
  skipArgs: ["--approval-mode", "yolo"],
  skipWords: ["--yolo", "-y", "yolo"],
  modelArgs: ["--model", "{model}"],
  resumeArgs: (session) => ["--resume", session],
  newSessionArgs: null,
  lastArgs: [],
  promptVia: "stdin",
  stream: "claude",
  mcp: null,
  runFile: null,
  env: {},
  writableArgs: null,
  exits: {},
  allowing: (denied) =>
    `providers.qwen.args: [--allowed-tools, ${JSON.stringify(ruleOf(denied, "run_shell_command"))}]`,
};

function allowed({ commands }: Grant): readonly string[] {
  const begun = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => `run_shell_command(${start} *)`);
  const exact = commands.flatMap(commandsIn).map((line) => `run_shell_command(${line})`);
  return ["mcp__planner", ...begun, ...exact];
}
