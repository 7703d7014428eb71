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
