import type { McpServerCommand } from "../mcp_config/agent_files.ts";
import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

export const codexRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Codex CLI",
  program: "codex",
  args: ["exec", "--json", "--color", "never"],
  guardedArgs: ({ task }) => ["--sandbox", task === "split" ? "read-only" : "workspace-write"],
  skipArgs: ["--dangerously-bypass-approvals-and-sandbox"],
  skipWords: ["--dangerously-bypass-approvals-and-sandbox", "--yolo", "danger-full-access"],
  resumeArgs: (session) => ["resume", session],
  // The prompt is read from standard input.
  lastArgs: ["-"],
  stream: "codex",
  mcp: { kind: "arguments", args: buildServerArguments },
  // The index and objects of a linked worktree are in the repository's own .git folder, which the sandbox would make
  // read-only.
  writableArgs: (folders) => ["-c", `sandbox_workspace_write.writable_roots=${formatTomlValue(folders)}`],
  buildAllowSetting: null,
};

// Without an explicit approval mode, codex cancels tools that change something, because no person is present to
// approve them.
function buildServerArguments({ command, args }: McpServerCommand): readonly string[] {
  const server = "mcp_servers.planner";
  return [
    ...["-c", `${server}.command=${formatTomlValue(command)}`],
    ...["-c", `${server}.args=${formatTomlValue(args)}`],
    ...["-c", `${server}.default_tools_approval_mode="approve"`],
  ];
}

// JSON text is valid TOML, except that TOML requires the delete character to be escaped.
function formatTomlValue(value: string | readonly string[]): string {
  return JSON.stringify(value).replaceAll("\x7f", "\\u007F");
}
