import { FAILURE_SEVERITIES, type FailureSeverity } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { NoticeBody, RiskKind } from "#dc/operations/notices/notice.ts";
import type { Risk, Risks } from "./risks.ts";

/** Risks as they were known before, and as they are. */
export interface RiskChange {
  readonly notices: readonly NoticeBody[];
  /** What is known from now on. */
  readonly known: Risks;
}

/**
 * Compares risks with those before. What was not read counts as unchanged: a kind that is not whole loses no subjects. A window
 * that is not open any more, or was not open before, is no change of its verdict.
 */
export function riskChanges(
  before: Risks,
  { risks, isWhole }: { readonly risks: Risks; readonly isWhole: ReadonlySet<RiskKind> },
  at: string,
): RiskChange {
  const notices: NoticeBody[] = [];
  const known: Record<string, Risk> = { ...risks };
  const subjects = [...new Set([...Object.keys(before), ...Object.keys(risks)])].sort(compareText);
  for (const subject of subjects) {
    const [was, is] = [before[subject], risks[subject]];
    if (was !== undefined && is === undefined && !isWhole.has(was.kind)) {
      known[subject] = was;
      continue;
    }
    const notice = noticeOf(subject, was, is, at);
    if (notice !== undefined) notices.push(notice);
  }
  return { notices, known };
}

function noticeOf(subject: string, was: Risk | undefined, is: Risk | undefined, at: string): NoticeBody | undefined {
  const one = is ?? was;
  if (one === undefined || was?.state === is?.state) return undefined;
  const isNew = was === undefined;
  const isOver = is === undefined;
  if (one.kind === "window" && (isNew || isOver)) return undefined;
  return {
    type: `${one.kind}.${isNew ? "appeared" : isOver ? "cleared" : "changed"}`,
    subject,
    severity: worseSeverity(was?.severity, is?.severity),
    state: is?.state ?? "",
    was: was?.state ?? "",
    summary: isOver ? `Over: ${one.summary}` : one.summary,
    elements: one.elements,
    at,
  };
}

/** The worse of two, so that who got a risk learns that it is over. */
function worseSeverity(a: FailureSeverity = "INFO", b: FailureSeverity = "INFO"): FailureSeverity {
  return FAILURE_SEVERITIES.indexOf(a) > FAILURE_SEVERITIES.indexOf(b) ? a : b;
}
