import { isJsonObject } from "#kernel/json_object.ts";
import { formatDollars } from "#words/figures.ts";
import type { LimitSettings, PlannerConfig } from "../config/config.ts";
import { countTokens, type Usage } from "./usage.ts";

/**
 * Returns the limits of one run: the spec's own `limits` override those of its agent, which override the project's.
 * Ignores values in the spec that are not positive numbers.
 *
 * Source: docs/work.md#limits.
 */
export function resolveRunLimits(
  { limits, providers }: Pick<PlannerConfig, "limits" | "providers">,
  provider: string,
  frontmatter: Readonly<Record<string, unknown>>,
): LimitSettings {
  const agentLimits = Object.hasOwn(providers, provider) ? providers[provider]?.limits : undefined;
  return { ...limits, ...agentLimits, ...parseSpecLimits(frontmatter["limits"]) };
}

const LIMIT_NAMES = ["run_seconds", "silence_seconds", "tokens", "cost_usd"] as const;

function parseSpecLimits(field: unknown): Partial<LimitSettings> {
  if (!isJsonObject(field)) return {};
  const own: { [Name in (typeof LIMIT_NAMES)[number]]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const value = field[name];
    if (typeof value === "number" && value > 0 && Number.isFinite(value)) own[name] = value;
  }
  return own;
}

/** Returns why tokens or cost exceed a limit; null while they are within the limits. */
export function explainExceededLimit(usage: Usage | null, { tokens, cost_usd }: LimitSettings): string | null {
  if (usage === null) return null;
  if (tokens !== null && countTokens(usage) >= tokens)
    return `it reached limits.tokens: ${countTokens(usage)} of ${tokens}`;
  if (cost_usd === null || usage.cost_usd === null || usage.cost_usd < cost_usd) return null;
  return `it reached limits.cost_usd: ${formatDollars(usage.cost_usd)} of ${formatDollars(cost_usd)}`;
}
