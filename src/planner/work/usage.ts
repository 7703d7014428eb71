import { formatDollars, formatShortCount } from "#words/figures.ts";

/** Tokens and cost of one run, as its agent reports them. */
export interface Usage {
  /** All input tokens, including those from a cache. */
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  /** US dollars; null if the agent reports no price. */
  readonly cost_usd: number | null;
}

export const NO_USAGE: Usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, cost_usd: null };

export function addUsage(one: Usage, other: Usage): Usage {
  const cost = one.cost_usd === null && other.cost_usd === null ? null : (one.cost_usd ?? 0) + (other.cost_usd ?? 0);
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cost_usd: cost,
  };
}

/** Returns input and output tokens together, which a token limit counts. */
export function countTokens({ input_tokens, output_tokens }: Usage): number {
  return input_tokens + output_tokens;
}

/** Formats usage, for example `46,970 tokens (35,000 cached), $0.08`. */
export function formatUsage(usage: Usage): string {
  const cachedTokens = usage.cached_input_tokens === 0 ? "" : ` (${groupDigits(usage.cached_input_tokens)} cached)`;
  return `${groupDigits(countTokens(usage))} tokens${cachedTokens}${usage.cost_usd === null ? "" : `, ${formatDollars(usage.cost_usd)}`}`;
}

/** Formats usage briefly, for example `47k $0.08`. */
export function formatShortUsage(usage: Usage): string {
  const count = formatShortCount(countTokens(usage));
  return usage.cost_usd === null ? count : `${count} ${formatDollars(usage.cost_usd)}`;
}

function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
