import { MCP_SERVER_NAME, OPENCODE_SCHEMA_URL } from "../mcp_config/agent_files.ts";
import {
  type AgentGrant,
  DEFAULT_ROW,
  GIT_COMMANDS,
  PLANNER_COMMANDS,
  type ProviderRow,
  parseDeniedCall,
  splitShellCommands,
} from "./provider_row.ts";

export const opencodeRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "opencode",
  program: "opencode",
  // Without --dir, opencode works in the folder named by PWD, whatever its working directory is.
  args: ["run", "--format", "json", "--dir", "{dir}"],
  guardedArgs: () => [],
  skipArgs: ["--auto"],
  skipWords: ["--auto", "--yolo", "--dangerously-skip-permissions"],
  resumeArgs: (session) => ["--session", session],
  stream: "opencode",
  // Settings of the project are read after this file and override it.
  runFile: {
    suffix: ".opencode.json",
    text: (server, grant) => {
      const entry = server && { type: "local", command: [server.command, ...server.args], enabled: true };
      const mcp = entry && { mcp: { [MCP_SERVER_NAME]: entry } };
      const permission = grant && { permission: buildPermissions(grant) };
      return `${JSON.stringify({ $schema: OPENCODE_SCHEMA_URL, ...mcp, ...permission }, null, 2)}\n`;
    },
  },
  env: { OPENCODE_CONFIG: "{run_file}" },
  buildAllowSetting(denied) {
    const permission: Record<string, "allow" | Record<string, "allow">> = {};
    for (const { tool, line } of denied.map((what) => parseDeniedCall(what, "bash"))) {
      const lines = permission[tool];
      if (line === null) permission[tool] = "allow";
      else if (lines !== "allow") permission[tool] = { ...lines, [line]: "allow" };
    }
    return `in opencode.json: ${JSON.stringify({ permission })}`;
  },
};

/** Returns the permission rules of a run. The last match decides. No rule asks, because a question ends the run. */
function buildPermissions({ task, commands }: AgentGrant): Readonly<Record<string, unknown>> {
  const elsewhere = { external_directory: "deny", webfetch: "deny", websearch: "deny" };
  if (task === "split") return { edit: "deny", bash: { "*": "deny" }, ...elsewhere };
  const prefixRules = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => [`${start} *`, "allow"]);
  const exactRules = commands.flatMap(splitShellCommands).map((line) => [line, "allow"]);
  return { edit: "allow", bash: Object.fromEntries([["*", "deny"], ...prefixRules, ...exactRules]), ...elsewhere };
}
