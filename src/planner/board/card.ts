import { criteriaOf } from "../spec/criteria.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { specIdParts } from "../spec/spec_id.ts";
import type { Standing } from "./column.ts";
import type { Card } from "./wire.ts";

/** Returns what the board shows of a spec. Cost: finding the criteria, about 10 µs. */
export function cardOf(spec: Spec, readiness: Readiness, standing: Standing & Pick<Card, "agent" | "version">): Card {
  const { id, title, type, labels, priority, due, assignee } = spec;
  return {
    ...{ id, title, type, labels, priority, due, assignee },
    ...standing,
    short: shortId(id),
    status: readiness.effectiveStatus(spec),
    criteria: countCriteria(spec),
    waits_for: standing.column === "blocked" ? readiness.unmet(spec) : [],
  };
}

/** The part of an id that people type: the suffix and the numbers of members, or the whole of an id of another shape. */
function shortId(id: string): string {
  const parts = specIdParts(id);
  return parts === undefined ? id : [parts.suffix, ...parts.members].join(".");
}

function countCriteria({ body }: Spec): Card["criteria"] {
  const criteria = criteriaOf(body);
  if (criteria.length === 0) return null;
  return {
    checked: criteria.filter(({ checked }) => checked).length,
    total: criteria.length,
    with_check: criteria.filter(({ verify }) => verify !== null).length,
  };
}
