import { parseCriteria } from "../spec/criteria.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { parseSpecIdParts } from "../spec/spec_id.ts";
import { parseRecordedCriteria, parseRunRecord } from "../work/records/read_record.ts";
import { buildReviewedCriteria } from "../work/reviewed_criteria.ts";
import type { ColumnPlacement } from "./column.ts";
import type { SpecRunEvidence } from "./proof_reader.ts";
import type { Card } from "./wire.ts";

/** Data of a card that is not in the spec's file. */
interface CardFacts {
  readonly readiness: Readiness;
  /** The latest run record of the spec. */
  readonly proof: SpecRunEvidence | undefined;
}

/** Builds the card of a spec. Cost: about 10 µs to find the criteria. */
export function buildCard(
  spec: Spec,
  { readiness, proof }: CardFacts,
  standing: ColumnPlacement & Pick<Card, "agent" | "version">,
): Card {
  const { id, title, type, labels, priority, due, assignee } = spec;
  return {
    ...{ id, title, type, labels, priority, due, assignee },
    ...standing,
    short: shortenId(id),
    status: readiness.getEffectiveStatus(spec),
    criteria: countCardCriteria(spec, proof),
    waits_for: standing.column === "blocked" ? readiness.listUnmet(spec) : [],
  };
}

/** Shortens an id to the part that people type: suffix and member numbers. Returns an id of another form unchanged. */
function shortenId(id: string): string {
  const parts = parseSpecIdParts(id);
  return parts === undefined ? id : [parts.suffix, ...parts.members].join(".");
}

/** Counts criteria. One counts as checked if the file, or the run record of the branch's last commit, has it checked. */
function countCardCriteria({ id, body }: Spec, proof: SpecRunEvidence | undefined): Card["criteria"] {
  const criteria = parseCriteria(body);
  if (criteria.length === 0) return null;
  const recorded = proof === undefined ? [] : parseRecordedCriteria(proof.kept);
  const isInBranch = proof?.head != null && proof.head === parseRunRecord(proof.kept).head;
  const isChecked = (criterion: { readonly label: string; readonly checked: boolean }): boolean =>
    criterion.checked || (isInBranch && recorded.some(({ label, checked }) => checked && label === criterion.label));
  const reviewed = proof === undefined ? [] : buildReviewedCriteria({ id, body }, proof.kept, proof.head);
  const disproven = reviewed.filter(({ mark }) => mark === "disproven").length;
  return {
    checked: criteria.filter(isChecked).length,
    total: criteria.length,
    with_check: criteria.filter(({ verify }) => verify !== null).length,
    proven: reviewed.filter(({ mark }) => mark === "proven").length,
    ...(disproven > 0 && { disproven }),
  };
}
