import type { FieldPath } from "../../spec/frontmatter_places.ts";
import type { Spec } from "../../spec/spec.ts";
import { cyclePath, nextInCycle } from "../cycles.ts";
import type { RuleFinding } from "../finding.ts";
import type { Rule } from "../rule.ts";
import type { World } from "../world.ts";

/** Every id in `depends_on` and `members` has a file, is named once, and nothing waits for itself. */
export const dependency: Rule = {
  name: "dependency",
  *check(spec, world) {
    yield* listFindings(spec, "depends_on", world);
    yield* cycleFindings(spec, world);
    yield* listFindings(spec, "members", world);
  },
};

type ListField = "depends_on" | "members";

interface Entry {
  readonly id: string;
  readonly path: FieldPath;
}

function* listFindings(spec: Spec, field: ListField, world: World): Iterable<RuleFinding> {
  const seen = new Set<string>();
  for (const { id, path } of entries(spec, field)) {
    if (seen.has(id)) {
      yield {
        severity: "warning",
        field,
        message: `${field} '${id}' is listed twice`,
        path,
        suggestion: "Remove one of them",
      };
    } else if (id === spec.id) {
      yield { severity: "error", field, message: `${field} '${id}' is the spec itself`, path, suggestion: "Remove it" };
    } else if (!world.knownIds.has(id)) {
      const near = world.nearestId(id, spec);
      const suggestion = near === undefined ? undefined : `Did you mean '${near}'?`;
      yield { ...unknownId(field, id), path, suggestion };
    }
    seen.add(id);
  }
}

export function unknownId(field: ListField, id: string): RuleFinding {
  return { severity: "error", field, message: `${field} '${id}' does not exist` };
}

function* cycleFindings(spec: Spec, world: World): Iterable<RuleFinding> {
  if (spec.dependsOn.length === 0) return;
  for (const cycle of world.cycles(spec.id)) {
    const next = nextInCycle(cycle);
    yield {
      severity: "error",
      field: "depends_on",
      message: `depends_on cycle: ${cyclePath(cycle)}`,
      path: entries(spec, "depends_on").find(({ id }) => id === next)?.path ?? ["depends_on"],
      suggestion: "Remove one of these dependencies, or none of the specs is ever ready",
    };
  }
}

/** The ids of a list with their places; one text in place of a list reads as a list of one. */
function entries({ frontmatter }: Spec, field: ListField): readonly Entry[] {
  const value = frontmatter[field];
  if (!Array.isArray(value)) return typeof value === "string" && value !== "" ? [{ id: value, path: [field] }] : [];
  return value.flatMap((id, index) => (typeof id === "string" && id !== "" ? [{ id, path: [field, index] }] : []));
}
