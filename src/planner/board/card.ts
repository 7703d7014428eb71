import { criteriaOf } from "../spec/criteria.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { specIdParts } from "../spec/spec_id.ts";
import { recordedCriteria, recordOf } from "../work/records/read_record.ts";
import { reviewedCriteria } from "../work/reviewed_criteria.ts";
import type { Standing } from "./column.ts";
import type { SpecProof } from "./proof_reader.ts";
import type { Card } from "./wire.ts";

/** What a card is made of beside the spec. */
interface CardFacts {
  readonly readiness: Readiness;
  /** The latest record of its runs. */
  readonly proof: SpecProof | undefined;
}

/** Returns what the board shows of a spec. Cost: finding the criteria, about 10 µs. */
export function cardOf(
  spec: Spec,
  { readiness, proof }: CardFacts,
  standing: Standing & Pick<Card, "agent" | "version">,
): Card {
  const { id, title, type, labels, priority, due, assignee } = spec;
  return {
    ...{ id, title, type, labels, priority, due, assignee },
    ...standing,
    short: shortId(id),
    status: readiness.effectiveStatus(spec),
    criteria: countCriteria(spec, proof),
    waits_for: standing.column === "blocked" ? readiness.unmet(spec) : [],
  };
}

/** The part of an id that people type: the suffix and the numbers of members, or the whole of an id of another shape. */
function shortId(id: string): string {
  const parts = specIdParts(id);
  return parts === undefined ? id : [parts.suffix, ...parts.members].join(".");
}

/** Counts criteria as they are in the spec's branch, if its last record says that, else in its file. */
function countCriteria({ body }: Spec, proof: SpecProof | undefined): Card["criteria"] {
  const criteria = criteriaOf(body);
  if (criteria.length === 0) return null;
  const recorded = proof === undefined ? [] : recordedCriteria(proof.kept);
  const isInBranch = proof?.head != null && proof.head === recordOf(proof.kept).head;
  const isChecked = (criterion: { readonly label: string; readonly checked: boolean }): boolean =>
    criterion.checked || (isInBranch && recorded.some(({ label, checked }) => checked && label === criterion.label));
  const reviewed = proof === undefined ? [] : reviewedCriteria(body, proof.kept, proof.head);
  return {
    checked: criteria.filter(isChecked).length,
    total: criteria.length,
    with_check: criteria.filter(({ verify }) => verify !== null).length,
    proven: reviewed.filter(({ verdict }) => verdict === "proven").length,
  };
}
