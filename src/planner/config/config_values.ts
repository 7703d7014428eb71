/** The agents that the provider table has a row for, the default first. Source: docs/decisions.md#s-22. */
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

/** How an agent gets its prompt: as its last argument, on standard input, or as a file that its arguments name. */
export const PROMPT_WAYS = ["argument", "stdin", "file"] as const;

export type PromptVia = (typeof PROMPT_WAYS)[number];

/** What an agent prints: plain text, or the JSON lines of the agent of that name. */
export const STREAM_KINDS = ["text", "claude", "codex", "gemini", "cursor", "opencode", "copilot"] as const;

export type StreamKind = (typeof STREAM_KINDS)[number];

/** Kinds of servers that have pull requests. */
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

/** How a rule's findings count: as the word says, or not at all. */
export const RULE_SEVERITIES = ["error", "warning", "off"] as const;

export type RuleSeverity = (typeof RULE_SEVERITIES)[number];

export type RuleName = (typeof RULE_NAMES)[number];
