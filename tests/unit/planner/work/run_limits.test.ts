import { expect, test } from "bun:test";
import { DEFAULT_CONFIG } from "#planner/config/default_config.ts";
import { explainExceededLimit, resolveRunLimits } from "#planner/work/agent_launch.ts";
import { isAccountError } from "#planner/work/error_line.ts";
import { addUsage, formatShortUsage, formatUsage, NO_USAGE } from "#planner/work/usage.ts";

test("resolveLimits lays the spec's limits over the agent's over the project's", () => {
  const config = {
    limits: { ...DEFAULT_CONFIG.limits, tokens: 1000, cost_usd: 1 },
    providers: { codex: { limits: { tokens: 2000 } } },
  };

  expect(resolveRunLimits(config, "claude", {}).tokens).toBe(1000);
  expect(resolveRunLimits(config, "codex", {})).toMatchObject({ tokens: 2000, cost_usd: 1 });
  expect(resolveRunLimits(config, "codex", { limits: { tokens: 3000, cost_usd: "much", run_seconds: -1 } })).toEqual({
    run_seconds: null,
    silence_seconds: 1200,
    tokens: 3000,
    cost_usd: 1,
  });
});

test("explainExceededLimit names the limit, and takes no report for no consumption", () => {
  const limits = { ...DEFAULT_CONFIG.limits, tokens: 1000, cost_usd: 0.5 };
  const usage = { ...NO_USAGE, input_tokens: 900, output_tokens: 99 };

  expect(explainExceededLimit(null, limits)).toBeNull();
  expect(explainExceededLimit(usage, limits)).toBeNull();
  expect(explainExceededLimit({ ...usage, output_tokens: 100 }, limits)).toBe("it reached limits.tokens: 1000 of 1000");
  expect(explainExceededLimit({ ...usage, cost_usd: 0.51 }, limits)).toBe("it reached limits.cost_usd: $0.51 of $0.50");
});

test("isAccountError knows what the agents' CLIs print, and no ordinary failure", () => {
  for (const text of [
    "Failed to authenticate. API Error: 401 invalid api key",
    "unexpected status 401 Unauthorized: invalid api key, url: http://127.0.0.1/v1/responses",
    '[API Error: {"error":{"code":401,"message":"invalid api key","status":"UNAUTHENTICATED"}}]',
    "invalid api key",
    "Your credit balance is too low to access the API",
    "You exceeded your current quota: insufficient_quota",
    "Not logged in. Please run /login",
  ]) {
    expect([text, isAccountError(text)]).toEqual([text, true]);
  }
  for (const text of ["overloaded", "429 rate limit", "exit status 1", "the login page has no title", "14010 files"]) {
    expect([text, isAccountError(text)]).toEqual([text, false]);
  }
});

test("usage adds up and reads as a person writes it", () => {
  const one = { input_tokens: 1000, cached_input_tokens: 500, output_tokens: 1, cost_usd: null };
  const two = { input_tokens: 2_000_000, cached_input_tokens: 0, output_tokens: 0, cost_usd: 1.5 };

  expect(formatUsage(one)).toBe("1,001 tokens (500 cached)");
  expect(formatUsage(addUsage(one, two))).toBe("2,001,001 tokens (500 cached), $1.50");
  expect([formatShortUsage(one), formatShortUsage(two), formatShortUsage({ ...one, input_tokens: 10 })]).toEqual([
    "1k",
    "2.0M $1.50",
    "11",
  ]);
});
