import { FAILURE_SEVERITIES, type FailureSeverity } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { NoticeBody, RiskKind } from "#dc/operations/notices/notice.ts";
import type { Risk, RisksBySubject } from "./risks.ts";

/** Notices about risks that changed, and the risks to store for the next comparison. */
export interface RiskChange {
  readonly notices: readonly NoticeBody[];
  readonly known: RisksBySubject;
}

/**
 * Compares risks with the earlier risks. Unread risks count as unchanged: a kind that was not read completely loses no
 * subjects. A window that opens or closes is no change of its verdict.
 */
export function compareRisks(
  before: RisksBySubject,
  { risks, isWhole }: { readonly risks: RisksBySubject; readonly isWhole: ReadonlySet<RiskKind> },
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
    const notice = createRiskNotice(subject, was, is, at);
    if (notice !== undefined) notices.push(notice);
  }
  return { notices, known };
}

function createRiskNotice(
  subject: string,
  was: Risk | undefined,
  is: Risk | undefined,
  at: string,
): NoticeBody | undefined {
  const one = is ?? was;
  if (one === undefined || was?.state === is?.state) return undefined;
  const isNew = was === undefined;
  const isOver = is === undefined;
  if (one.kind === "window" && (isNew || isOver)) return undefined;
  return {
    type: `${one.kind}.${isNew ? "appeared" : isOver ? "cleared" : "changed"}`,
    subject,
    severity: selectWorseSeverity(was?.severity, is?.severity),
    state: is?.state ?? "",
    was: was?.state ?? "",
    summary: isOver ? `Over: ${one.summary}` : one.summary,
    elements: one.elements,
    at,
  };
}

/** Returns the worse severity, so that everyone who got a notice about a risk also gets a notice of the risk's end. */
function selectWorseSeverity(a: FailureSeverity = "INFO", b: FailureSeverity = "INFO"): FailureSeverity {
  return FAILURE_SEVERITIES.indexOf(a) > FAILURE_SEVERITIES.indexOf(b) ? a : b;
}
