import type { ErrorFinding, Finding, WarningFinding } from "./finding.ts";
import type { SiteReader } from "./site.ts";

/** A write under judgement: the state before, if any, and the state that is asked for. `now` is ISO 8601 in UTC. */
export interface Change<Resource> {
  readonly before?: Resource | undefined;
  readonly after: Resource;
  readonly now: string;
}

export type Findings = readonly Finding[];

/** Judges one aspect. It may rely on everything that the phases before its own demand. */
export type Rule<Resource> = (change: Change<Resource>, site: SiteReader) => Findings | Promise<Findings>;

/** Rules in phases: a phase begins only when those before it found no error, so later rules meet sane data. */
export type RulePhases<Resource> = readonly (readonly Rule<Resource>[])[];

export interface Verdict {
  readonly errors: readonly ErrorFinding[];
  readonly warnings: readonly WarningFinding[];
}

/** Runs the phases in order and sorts what they find. Cost: that of the rules; look-ups of one phase run one by one. */
export async function judge<Resource>(
  phases: RulePhases<Resource>,
  change: Change<Resource>,
  site: SiteReader,
): Promise<Verdict> {
  const findings: Finding[] = [];
  for (const phase of phases) {
    for (const rule of phase) {
      const found = rule(change, site);
      // Most rules answer at once; awaiting those too would cost every write a turn of the queue per rule.
      const list = found instanceof Promise ? await found : found;
      if (list.length > 0) findings.push(...list);
    }
    if (findings.some(isError)) break;
  }
  return {
    errors: findings.filter(isError),
    warnings: findings.filter((finding): finding is WarningFinding => !isError(finding)),
  };
}

function isError(finding: Finding): finding is ErrorFinding {
  return finding.severity === "ERROR";
}
