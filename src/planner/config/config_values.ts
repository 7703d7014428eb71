/** Path of the settings from the project root. Source: docs/decisions.md#s-01. */
export const CONFIG_FILE = ".planner/config.md";

/** Names of the agents in the provider table, the default first. Source: docs/decisions.md#s-22. */
export const PROVIDER_NAMES = [
  "claude",
  "codex",
  "gemini",
  "cursor-agent",
  "opencode",
  "kiro",
  "qwen",
  "copilot",
  "command",
] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Ways to give an agent its prompt: as its last argument, on standard input, or as a file that its arguments name. */
export const PROMPT_CHANNELS = ["argument", "stdin", "file"] as const;

export type PromptChannel = (typeof PROMPT_CHANNELS)[number];

/** Formats of an agent's output: plain text, or the JSON lines of the named agent. */
export const STREAM_KINDS = ["text", "claude", "codex", "gemini", "cursor", "opencode", "copilot"] as const;

export type StreamKind = (typeof STREAM_KINDS)[number];

/** Kinds of servers on which pull requests can be opened. */
export const FORGES = ["github", "gitlab"] as const;

export type Forge = (typeof FORGES)[number];

/**
 * Names of the lint rules in report order: rules about the frontmatter, then about its references, then advice.
 * Source: docs/contract/spec-tool.md#lint-diagnostic; order from docs/decisions.md#s-11.
 */
export const RULE_NAMES = [
  "parse",
  "required",
  "title",
  "type",
  "dependency",
  "approval",
  "output",
  "criteria",
  "complexity",
  "coupling",
  "model_waste",
] as const;

/** Severities of a rule's findings; `off` disables the rule. */
export const RULE_SEVERITIES = ["error", "warning", "off"] as const;

export type RuleSeverity = (typeof RULE_SEVERITIES)[number];

export type RuleName = (typeof RULE_NAMES)[number];
