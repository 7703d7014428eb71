import { AGENT_CONFIG_FILES } from "../mcp_config/agent_files.ts";
import {
  type AgentGrant,
  DEFAULT_ROW,
  GIT_COMMANDS,
  PLANNER_COMMANDS,
  type ProviderRow,
  parseDeniedCall,
  splitShellCommands,
} from "./provider_row.ts";

export const geminiRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Gemini CLI",
  program: "gemini",
  // Without a terminal and with the prompt on standard input, gemini runs headless without a flag.
  args: ["--output-format", "stream-json"],
  guardedArgs: ({ task }) => [
    ...["--approval-mode", task === "split" ? "default" : "auto_edit"],
    // A named policy replaces the person's own policies, so both are named to keep the person's denials. Gemini
    // expands the tilde.
    ...["--policy", "{run_file}", "--policy", "~/.gemini/policies"],
  ],
  skipArgs: ["--approval-mode", "yolo"],
  skipWords: ["--yolo", "-y", "yolo", "--skip-trust"],
  resumeArgs: (session) => ["--resume", session],
  stream: "gemini",
  mcp: { kind: "project_file", file: AGENT_CONFIG_FILES.gemini },
  runFile: { suffix: ".policy.toml", text: (_, grant) => (grant === null ? "" : buildPolicy(grant)) },
  // The pages "Headless mode" and "Troubleshooting" of gemini list these statuses.
  exitMeanings: {
    41: "authentication failed",
    42: "it did not accept the prompt or an argument",
    44: "its sandbox failed",
    52: "its settings are invalid",
    53: "it reached its limit of turns",
    54: "one of its tools failed beyond repair",
    55: "it does not trust the folder",
    130: "it was cancelled",
  },
  buildAllowSetting(denied) {
    const rules = denied.map((what) => {
      const { tool, line } = parseDeniedCall(what, SHELL_TOOL);
      const fields = line === null ? { toolName: tool, decision: "allow" } : buildExactRule(line);
      return `{ ${formatRuleFields(fields).join(", ")} }`;
    });
    return `in ~/.gemini/policies/planner.toml: rule = [${[...new Set(rules)].join(", ")}]`;
  },
};

type PolicyRule = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const SHELL_TOOL = "run_shell_command";
/** Policy of a split with the highest priority, so that the person's own rules allow nothing. */
const SPLIT_POLICY = formatRule({ toolName: ["write_file", "replace", SHELL_TOOL], decision: "deny", priority: 999 });

/**
 * Returns the policy of a run. Gemini ignores rules in a project's own folder. Source:
 * geminicli.com/docs/reference/policy-engine.
 */
function buildPolicy({ task, commands }: AgentGrant): string {
  if (task === "split") return SPLIT_POLICY;
  return [
    formatRule({ mcpName: "planner", toolName: "*", decision: "allow" }),
    formatRule({ toolName: SHELL_TOOL, commandPrefix: [...GIT_COMMANDS, ...PLANNER_COMMANDS], decision: "allow" }),
    ...commands.flatMap(splitShellCommands).map((line) => formatRule(buildExactRule(line))),
  ].join("\n");
}

/** Returns a rule for exactly this line. Gemini matches it against JSON, whose closing quote excludes longer lines. */
function buildExactRule(line: string): PolicyRule {
  const commandRegex = escapePattern(JSON.stringify(line).slice(1));
  return { toolName: SHELL_TOOL, commandRegex, decision: "allow", allowRedirection: true };
}

function formatRule(fields: PolicyRule): string {
  return `[[rule]]\n${formatRuleFields(fields).join("\n")}\n`;
}

function formatRuleFields(fields: PolicyRule): readonly string[] {
  return Object.entries({ priority: 900, ...fields }).map(
    ([key, value]) => `${key} = ${JSON.stringify(value).replaceAll("\x7f", "\\u007F")}`,
  );
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
