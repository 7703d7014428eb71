import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { type CommandLine, isRule, lostRules, ruleLines } from "../../work/acceptance.ts";

interface ProjectRules {
  /** What judges runs now. */
  readonly now: readonly CommandLine[];
  /** What judged runs before and would not any more, which no person has accepted. */
  readonly lost: readonly CommandLine[];
}

/** Reads the settings and schemas that judge runs, and compares them with those that held for earlier runs. */
export async function readRules({ accepted, config, outputs, specs }: PlannerContext): Promise<ProjectRules> {
  const { held } = await (await accepted()).read();
  const active = (await specs.active()).specs;
  const paths = [...new Set(active.flatMap(({ outputSchema }) => outputSchema ?? []))].sort();
  const schemas = new Map<string, string>();
  for (const path of paths) {
    const hash = await outputs.fingerprint(path);
    if (hash !== null) schemas.set(path, hash);
  }
  const now = ruleLines(await config(), schemas);
  return { now, lost: lostRules(held, now) };
}

/** What judged runs before and would not any more. Reads no spec unless something is noted. */
export async function rulesLost(context: PlannerContext): Promise<readonly CommandLine[]> {
  const { held } = await (await context.accepted()).read();
  return held.length === 0 ? [] : (await readRules(context)).lost;
}

/** Why work cannot be judged until a person has accepted that rules are gone; null if none are. */
export function lostRulesText(lost: readonly CommandLine[]): string | null {
  if (lost.length === 0) return null;
  const named = lost.map(({ text }) => `"${text}"`).join(", ");
  return `runs were judged by ${named}, which changed: "planner approve --commands" shows and accepts`;
}

/**
 * Refuses a run that would be judged by less than the one before, and notes what judges this one.
 *
 * Source: docs/decisions.md#s-61.
 */
export async function refuseLostRules(context: PlannerContext, action: string): Promise<void> {
  const { now, lost } = await readRules(context);
  const problem = lostRulesText(lost);
  if (problem !== null) throw new OperationError("failed_precondition", `Cannot ${action}: ${problem}`);
  await (await context.accepted()).hold(now);
}

/** Accepts that these no longer judge runs; what judges them from now on is noted at once. */
export async function acceptLines(context: PlannerContext, lines: readonly CommandLine[]): Promise<void> {
  await (await context.accepted()).accept(lines);
  if (lines.some(isRule)) {
    await (await context.accepted()).hold((await readRules(context)).now);
  }
}
