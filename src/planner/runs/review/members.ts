import { personNeeds } from "../../operations/shared/person_needs.ts";
import { loadWorld } from "../../operations/shared/world.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { membersOf } from "../../work/merge_order.ts";
import type { PersonNeed } from "../../work/person_need.ts";
import type { RunDeps } from "../run_types.ts";

/** A member of a group or driver, at any depth. */
export interface MemberWork {
  readonly spec_id: SpecId;
  readonly title: string | null;
  readonly status: string;
  readonly need: PersonNeed | null;
}

/** Returns the members of a spec, however deep, in the order of their ids, with what each needs of a person. */
export async function membersWithWork({ context }: RunDeps, spec: Spec): Promise<readonly MemberWork[]> {
  const { specs } = await loadWorld(context);
  const byId = new Map<string, Spec>(specs.map((one) => [one.id, one]));
  const found = new Map<SpecId, Spec>();
  const visit = (one: Spec): void => {
    for (const id of membersOf(one, specs)) {
      const member = byId.get(id);
      if (member === undefined || member.id === spec.id || found.has(member.id)) continue;
      found.set(member.id, member);
      visit(member);
    }
  };
  visit(spec);
  const members = [...found.values()];
  const needs = await personNeeds(context, members);
  return members.map(({ id, title, status }) => ({ spec_id: id, title, status, need: needs.get(id) ?? null }));
}
