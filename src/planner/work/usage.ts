/** What one run consumed, as its agent reports it. */
export interface Usage {
  /** All input tokens, those from a cache included. */
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
