import { criteriaOf } from "../spec/criteria.ts";
import type { Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { specIdParts } from "../spec/spec_id.ts";
import type { Standing } from "./column.ts";
import type { Card, CardAgent } from "./wire.ts";

/** The part of an id that people type: the suffix and the numbers of members, or the whole of an id of another shape. */
export function shortId(id: string): string {
  const parts = specIdParts(id);
  return parts === undefined ? id : [parts.suffix, ...parts.members].join(".");
}

/** What a card shows of the file alone. */
type FileFacts = Pick<Card, "criteria">;

/** Finding the criteria takes longer than everything else, so it is done once per state of a file. */
export class CardMaker {
  readonly #facts = new WeakMap<Spec, FileFacts>();

  card(
    spec: Spec,
    readiness: Readiness,
    { column, need, note, command, agent }: Standing & { agent: CardAgent | null },
  ): Card {
    return {
      id: spec.id,
      short: shortId(spec.id),
      title: spec.title,
      column,
      status: readiness.effectiveStatus(spec),
      type: spec.type,
      labels: spec.labels,
      priority: spec.priority,
      due: spec.due,
      assignee: spec.assignee,
      criteria: this.#factsOf(spec).criteria,
      waits_for: column === "blocked" ? readiness.unmet(spec) : [],
      need,
      note,
      command,
      agent,
    };
  }

  #factsOf(spec: Spec): FileFacts {
    let facts = this.#facts.get(spec);
    if (facts === undefined) {
      const criteria = criteriaOf(spec.body);
      const checked = criteria.filter((one) => one.checked).length;
      const with_check = criteria.filter(({ verify }) => verify !== null).length;
      facts = { criteria: criteria.length === 0 ? null : { checked, total: criteria.length, with_check } };
      this.#facts.set(spec, facts);
    }
    return facts;
  }
}
