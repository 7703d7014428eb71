import type { ErrorFinding, Finding, WarningFinding } from "./finding.ts";
import type { SiteReader } from "./site.ts";

/** A write to check: the stored resource before it, if any, and the resource after it. `now` is ISO 8601 in UTC. */
export interface ResourceWrite<Resource> {
  readonly before?: Resource | undefined;
  readonly after: Resource;
  readonly now: string;
}

export type Findings = readonly Finding[];

/** Checks one aspect of a write. A rule may assume that all rules of earlier phases passed. */
export type Rule<Resource> = (change: ResourceWrite<Resource>, site: SiteReader) => Findings | Promise<Findings>;

/** Rules in phases. A phase runs only if the earlier phases found no error, so later rules get valid data. */
export type RulePhases<Resource> = readonly (readonly Rule<Resource>[])[];

export interface RuleResult {
  readonly errors: readonly ErrorFinding[];
  readonly warnings: readonly WarningFinding[];
}

/** Runs the phases in order and separates errors from warnings. Reads of one phase are sequential. */
export async function applyRules<Resource>(
  phases: RulePhases<Resource>,
  change: ResourceWrite<Resource>,
  site: SiteReader,
): Promise<RuleResult> {
  const findings: Finding[] = [];
  for (const phase of phases) {
    for (const rule of phase) {
      const found = rule(change, site);
      // Most rules are synchronous. Awaiting those too would cost every write a microtask per rule.
      const list = found instanceof Promise ? await found : found;
      if (list.length > 0) findings.push(...list);
    }
    if (findings.some(isErrorFinding)) break;
  }
  return {
    errors: findings.filter(isErrorFinding),
    warnings: findings.filter((finding): finding is WarningFinding => !isErrorFinding(finding)),
  };
}

function isErrorFinding(finding: Finding): finding is ErrorFinding {
  return finding.severity === "ERROR";
}
