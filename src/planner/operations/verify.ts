import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { criteriaOf } from "../spec/criteria.ts";
import { findSpec } from "./shared/find_spec.ts";
import { refuseInvalid } from "./shared/invalid_fields.ts";
import { specIdParam } from "./shared/params.ts";

export const verify = defineTool<PlannerContext>()({
  name: "planner_verify",
  summary: "Report which acceptance criteria of a spec, active or archived, are checked",
  effect: "read",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id }) {
    const spec = await findSpec(context, id, { archived: true });
    await refuseInvalid(context, spec, "verify");
    const criteria = criteriaOf(spec.body);
    const unchecked = criteria.filter(({ checked }) => !checked);
    const unrun = criteria.filter(({ verify }) => verify !== null).length;
    return {
      value: {
        spec_id: spec.id,
        verified: criteria.length > 0 && unchecked.length === 0 && unrun === 0,
        criteria: {
          total: criteria.length,
          checked: criteria.length - unchecked.length,
          unchecked: unchecked.length,
        },
        unchecked_items: unchecked.map(({ text }) => text),
        verification_notes: notes({ total: criteria.length, unchecked: unchecked.length, unrun }),
      },
    };
  },
});

function notes({ total, unchecked, unrun }: Readonly<Record<"total" | "unchecked" | "unrun", number>>): string {
  if (total === 0) return "No acceptance criteria found";
  if (unchecked === 0 && unrun > 0) {
    return unrun === 1 ? "1 criterion has a check that did not run" : `${unrun} criteria have checks that did not run`;
  }
  if (unchecked === 0) return "All acceptance criteria met";
  return unchecked === 1 ? "1 criterion not yet checked" : `${unchecked} criteria not yet checked`;
}
