/** Estimate of what a model counts for a text: a token for four characters. docs/mcp.md says how it was compared. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
