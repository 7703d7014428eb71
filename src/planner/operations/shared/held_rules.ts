import { createPreconditionError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import type { Spec } from "../../spec/spec.ts";
import { type AcceptableLine, buildRuleLines, findLostRules, isRuleLine, judgesSpec } from "../../work/acceptance.ts";

interface ProjectRules {
  /** Rules that judge runs now. */
  readonly current: readonly AcceptableLine[];
  /** Rules that judged earlier runs, no longer exist, and whose removal no person has accepted. */
  readonly lost: readonly AcceptableLine[];
}

/** Reads the settings and schemas that judge runs, and compares them with those of earlier runs. */
export async function readProjectRules({
  openAcceptance,
  readConfig,
  outputs,
  specs,
}: PlannerContext): Promise<ProjectRules> {
  const { heldRules } = await (await openAcceptance()).read();
  const active = (await specs.readActive()).specs;
  const paths = [...new Set(active.flatMap(({ outputSchema }) => outputSchema ?? []))].sort();
  const schemas = new Map<string, string>();
  for (const path of paths) {
    const hash = await outputs.computeFingerprint(path);
    if (hash !== null) schemas.set(path, hash);
  }
  const now = buildRuleLines(await readConfig(), schemas);
  return { current: now, lost: findLostRules(heldRules, now) };
}

/**
 * Returns the rules that judged earlier runs and no longer exist. Reads no spec if no rule was recorded.
 *
 * @param judged omits schemas that this spec does not name
 */
export async function readLostRules(
  context: PlannerContext,
  judged: Pick<Spec, "outputSchema"> | null = null,
): Promise<readonly AcceptableLine[]> {
  const { heldRules } = await (await context.openAcceptance()).read();
  const lost = heldRules.length === 0 ? [] : (await readProjectRules(context)).lost;
  return judged === null ? lost : lost.filter((line) => judgesSpec(line, judged));
}

/** Explains that work cannot be judged until a person accepts the missing rules; null if none is missing. */
export function formatLostRules(lost: readonly AcceptableLine[]): string | null {
  if (lost.length === 0) return null;
  const named = lost.map(({ text }) => `"${text}"`).join(", ");
  return `runs were judged by ${named}, which changed: "planner approve --commands" shows and accepts`;
}

/**
 * Records the rules that judge runs now. Source: docs/decisions.md#s-61.
 * @throws OperationError `failed_precondition` if rules of earlier runs that judge the spec no longer exist
 */
export async function holdProjectRules(context: PlannerContext, spec: Spec, action: string): Promise<void> {
  const { current, lost } = await readProjectRules(context);
  const problem = formatLostRules(lost.filter((line) => judgesSpec(line, spec)));
  if (problem !== null) throw createPreconditionError(`Cannot ${action}: ${problem}`);
  await (await context.openAcceptance()).holdRules(current);
}

/** Accepts lines. If one of them is a rule, records the rules that judge runs now. */
export async function acceptLinesAndRules(context: PlannerContext, lines: readonly AcceptableLine[]): Promise<void> {
  await (await context.openAcceptance()).acceptLines(lines);
  if (lines.some(isRuleLine)) {
    await (await context.openAcceptance()).holdRules((await readProjectRules(context)).current);
  }
}
