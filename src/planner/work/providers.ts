import { createPreconditionError, type OperationError } from "#kernel/errors.ts";
import {
  type PlannerConfig,
  PROVIDER_NAMES,
  type PromptChannel,
  type ProviderName,
  type ProviderSettings,
  type StreamKind,
} from "../config/config.ts";
import {
  AGENT_CONFIG_FILES,
  MCP_SERVER_NAME,
  type McpServerCommand,
  OPENCODE_SCHEMA_URL,
} from "./mcp_config/agent_files.ts";
import {
  type AgentGrant,
  buildRulesForDenials,
  buildShellRules,
  DEFAULT_ROW,
  formatArgumentsSetting,
  GIT_COMMANDS,
  PLANNER_COMMANDS,
  type ProviderRow,
  parseDeniedCall,
  splitShellCommands,
} from "./provider_row.ts";

/** The agent of one run: its row with the configuration applied, and the model. */
export interface Provider {
  readonly name: string;
  readonly row: ProviderRow;
  readonly program: string;
  /** Configured arguments, which follow the row's own. */
  readonly extraArgs: readonly string[];
  readonly promptVia: PromptChannel;
  readonly stream: StreamKind;
  readonly env: Readonly<Record<string, string>>;
  readonly skipsPermissions: boolean;
  readonly model: string | null;
}

export interface ModelRequest {
  /** Model named by the spec or a split's caller, which overrides the configuration; null for the configured one. */
  readonly model: string | null;
  readonly task: "work" | "split";
}

/**
 * Returns the agent that the configuration selects, with the model for this task.
 *
 * @throws OperationError `failed_precondition` if no program is named, if the model's name is invalid, or if the
 *   configured arguments skip permissions although `skip_permissions` is not set
 */
export function selectProvider(config: PlannerConfig, request: ModelRequest): Provider {
  const name = config.defaults.provider;
  const row = findProviderRow(name);
  const settings: ProviderSettings = Object.hasOwn(config.providers, name) ? (config.providers[name] ?? {}) : {};
  const program = settings.command ?? row.program;
  if (program === null) {
    throw buildProviderError(name, `"providers.${name}.command" in .planner/config.md names no program`);
  }
  const extraArgs = settings.args ?? [];
  const skipsPermissions = settings.skip_permissions ?? false;
  // `--flag=value` and `key="value"` contain two words each.
  const skippingArgument = skipsPermissions
    ? undefined
    : extraArgs.find((argument) => argument.split(/[="']+/).some((word) => row.skipWords.includes(word)));
  if (skippingArgument !== undefined) {
    throw buildProviderError(
      name,
      `argument "${skippingArgument}" skips permissions: expected "skip_permissions: true" beside it`,
    );
  }
  return {
    name,
    row,
    program,
    extraArgs,
    promptVia:
      settings.prompt_via ?? (extraArgs.some((each) => each.includes("{prompt_file}")) ? "file" : row.promptVia),
    stream: settings.stream ?? row.stream,
    env: settings.env ?? {},
    skipsPermissions,
    model: chooseModel(config, name, request),
  };
}

/** Returns the special meaning of an agent's exit status; null if it has none. */
export function explainExitStatus({ row }: Provider, code: number): string | null {
  return row.exitMeanings[code] ?? null;
}

/** Returns the row of a provider. Agents that exist only in the configuration use the row `command`. */
export function findProviderRow(name: string): ProviderRow {
  const known = PROVIDER_NAMES.find((each) => each === name);
  return PROVIDERS[known ?? "command"];
}

function chooseModel({ defaults }: PlannerConfig, name: string, { model, task }: ModelRequest): string | null {
  const chosen = model ?? (task === "split" ? defaults.split_model : null) ?? defaults.model;
  // A spec's text must not become a flag of the agent, nor a command if the settings start the agent in a shell.
  if (chosen !== null && !/^[\p{L}\p{N}_.:/@+[\]][\p{L}\p{N}_.:/@+=,[\]-]*$/u.test(chosen)) {
    throw buildProviderError(
      name,
      `model "${chosen}" is not a model's name: expected one word of letters, digits and _.:/@+=,[]- that begins with no dash`,
    );
  }
  return chosen;
}

function buildProviderError(name: string, why: string): OperationError {
  return createPreconditionError(`Cannot start the agent "${name}": ${why}`);
}

const claudeRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Claude Code",
  program: "claude",
  // Version 2 refuses stream-json in print mode without --verbose. The strict flag keeps other servers out of the run.
  args: ["-p", "--output-format", "stream-json", "--verbose", "--mcp-config", "{mcp_config}", "--strict-mcp-config"],
  guardedArgs: ({ task, commands }) =>
    task === "split"
      ? ["--permission-mode", "default", "--disallowedTools", "Edit,Write,NotebookEdit"]
      : ["--permission-mode", "acceptEdits", "--settings", buildPermissionSettings(commands)],
  skipArgs: ["--dangerously-skip-permissions"],
  skipWords: ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "bypassPermissions"],
  resumeArgs: (session) => ["--resume", session],
  stream: "claude",
  buildAllowSetting: (denied) =>
    formatArgumentsSetting("claude", ["--allowedTools", ...buildRulesForDenials(denied, "Bash")]),
};

/** Commands that only a person may run, denied even if the project's own settings allow every command of planner. */
const DENIED_RULES = ["approve", "trust"].map((name) => `Bash(planner ${name}:*)`);

// Written as JSON, because a rule in --allowedTools ends at a comma or a blank.
function buildPermissionSettings(commands: AgentGrant["commands"]): string {
  return JSON.stringify({
    permissions: { allow: ["mcp__planner", ...buildShellRules("Bash", ":*", commands)], deny: DENIED_RULES },
  });
}

const codexRow: ProviderRow = {
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

const geminiRow: ProviderRow = {
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

const cursorAgentRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Cursor CLI",
  program: "cursor-agent",
  args: ["-p", "--output-format", "stream-json"],
  guardedArgs: () => [],
  // --approve-mcps approves every configured server, not only planner's.
  skipArgs: ["--force", "--approve-mcps", "--trust"],
  skipWords: ["--force", "-f", "--yolo", "--approve-mcps", "--trust"],
  resumeArgs: null,
  // Versions of cursor-agent differ in whether they read standard input.
  promptVia: "argument",
  stream: "cursor",
  mcp: { kind: "project_file", file: AGENT_CONFIG_FILES.cursor },
  buildAllowSetting: null,
};

const opencodeRow: ProviderRow = {
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

const kiroRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Kiro CLI",
  program: "kiro-cli",
  args: ["chat", "--no-interactive"],
  // Kiro's two harnesses name their tools differently, so the configuration has to list the trusted tools.
  guardedArgs: () => [],
  skipArgs: ["--trust-all-tools"],
  skipWords: ["--trust-all-tools", "-a"],
  resumeArgs: null,
  stream: "text",
  mcp: { kind: "project_file", file: AGENT_CONFIG_FILES.kiro },
  exitMeanings: { 3: "an MCP server did not start", 4: "the name of the agent is unknown to it" },
  buildAllowSetting: null,
};

const qwenRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Qwen Code",
  program: "qwen",
  // Without a terminal and with the prompt on standard input, qwen runs headless without a flag.
  args: ["--output-format", "stream-json", "--mcp-config", "{mcp_config}"],
  guardedArgs: (grant) =>
    grant.task === "split"
      ? ["--approval-mode", "plan"]
      : ["--approval-mode", "default", ...buildAllowedTools(grant).flatMap((rule) => ["--allowed-tools", rule])],
  skipArgs: ["--approval-mode", "yolo"],
  skipWords: ["--yolo", "-y", "yolo"],
  resumeArgs: (session) => ["--resume", session],
  stream: "claude",
  buildAllowSetting: (denied) =>
    formatArgumentsSetting(
      "qwen",
      buildRulesForDenials(denied, "run_shell_command").flatMap((rule) => ["--allowed-tools", rule]),
    ),
};

function buildAllowedTools({ commands }: AgentGrant): readonly string[] {
  // A path in a rule begins at the worktree; the mode "auto-edit" would allow files anywhere.
  return ["mcp__planner", "edit(/**)", "write_file(/**)", ...buildShellRules("run_shell_command", " *", commands)];
}

const copilotRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "GitHub Copilot CLI",
  program: "copilot",
  // With the prompt on standard input, copilot runs headless without a flag.
  args: ["--output-format", "json", "--no-auto-update", "--additional-mcp-config", "@{mcp_config}"],
  guardedArgs: (grant) =>
    grant.task === "split" ? ["--deny-tool=write", "--deny-tool=shell"] : buildAllowArguments(grant),
  skipArgs: ["--allow-all"],
  skipWords: ["--allow-all", "--allow-all-tools", "--allow-all-paths", "--allow-all-urls", "--yolo", "--trust-folder"],
  // Copilot reports its session only at its end, so a run that is killed earlier could not be continued.
  resumeArgs: (session) => [`--session-id=${session}`],
  newSessionArgs: (session) => [`--session-id=${session}`],
  stream: "copilot",
  buildAllowSetting(denied) {
    const calls = denied.map((what) => parseDeniedCall(what, "bash"));
    const args = calls.flatMap(({ tool, line }) =>
      line === null ? [`--allow-tool=${tool}`] : buildRulesForLine(line),
    );
    return formatArgumentsSetting("copilot", [...new Set(args)]);
  },
};

/** Returns the rules for a line of the shell, one for each command in it, because Copilot's rules name programs. */
function buildRulesForLine(line: string): readonly string[] {
  const programs = splitShellCommands(line).map((command) => command.split(" ", 1)[0]);
  const servers = line.match(/https?:\/\/[^\s/"']+/g) ?? [];
  return [
    ...[...new Set(programs)].map((program) => `--allow-tool=shell(${program})`),
    ...[...new Set(servers)].map((server) => `--allow-url=${server}`),
  ];
}

// Each rule is a separate argument, because copilot would read the next argument as part of a list.
function buildAllowArguments({ commands }: AgentGrant): readonly string[] {
  return ["planner", "write", ...buildShellRules("shell", ":*", commands)].map((rule) => `--allow-tool=${rule}`);
}

/** Row for any program, used for agents that exist only in the configuration. */
const commandRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "a command of your own",
  program: null,
  args: [],
  guardedArgs: () => [],
  skipArgs: [],
  // Only flags with a single meaning: other programs use --force and --auto differently.
  skipWords: [
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--yolo",
    "--trust-all-tools",
    "bypassPermissions",
    "danger-full-access",
  ],
  modelArgs: [],
  resumeArgs: null,
  stream: "text",
  buildAllowSetting: null,
};

/** All agents that planner can start, by name. Source: docs/decisions.md#s-22. */
export const PROVIDERS: Readonly<Record<ProviderName, ProviderRow>> = {
  claude: claudeRow,
  codex: codexRow,
  gemini: geminiRow,
  "cursor-agent": cursorAgentRow,
  opencode: opencodeRow,
  kiro: kiroRow,
  qwen: qwenRow,
  copilot: copilotRow,
  command: commandRow,
};
