import type { FieldPath } from "../../spec/full_frontmatter.ts";
import type { Spec } from "../../spec/spec.ts";
import { findNextInCycle, formatCycle } from "../cycles.ts";
import type { LintWorld, Rule, RuleFinding } from "../finding.ts";

/** Requires that ids in `depends_on` and `members` have a file and are listed once, and no spec waits for itself. */
export const dependencyRule: Rule = {
  name: "dependency",
  summary: "Dependencies and members exist and nothing waits for itself",
  severity: "error",
  reports:
    "Error: an id in `depends_on` or `members` has no file, or a spec waits for itself. Warning: an id is listed twice.",
  *check(spec, world) {
    yield* checkIdList(spec, "depends_on", world);
    yield* findCycleFindings(spec, world);
    yield* checkIdList(spec, "members", world);
  },
};

type ListField = "depends_on" | "members";

interface ListedId {
  readonly id: string;
  readonly path: FieldPath;
}

function* checkIdList(spec: Spec, field: ListField, world: LintWorld): Iterable<RuleFinding> {
  const seen = new Set<string>();
  for (const { id, path } of listIds(spec, field)) {
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
      const near = world.findNearestId(id, spec);
      const suggestion = near === undefined ? undefined : `Did you mean '${near}'?`;
      yield { ...createUnknownIdFinding(field, id), path, suggestion };
    }
    seen.add(id);
  }
}

export function createUnknownIdFinding(field: ListField, id: string): RuleFinding {
  return { severity: "error", field, message: `${field} '${id}' does not exist` };
}

function* findCycleFindings(spec: Spec, world: LintWorld): Iterable<RuleFinding> {
  if (spec.dependsOn.length === 0) return;
  for (const cycle of world.listCycles(spec.id)) {
    const next = findNextInCycle(cycle);
    yield {
      severity: "error",
      field: "depends_on",
      message: `depends_on cycle: ${formatCycle(cycle)}`,
      path: listIds(spec, "depends_on").find(({ id }) => id === next)?.path ?? ["depends_on"],
      suggestion: "Remove one of these dependencies, or none of the specs is ever ready",
    };
  }
}

/** Returns the ids of a list with their paths in the frontmatter; a single text counts as a list of one. */
function listIds({ frontmatter }: Spec, field: ListField): readonly ListedId[] {
  const value = frontmatter[field];
  if (!Array.isArray(value)) return typeof value === "string" && value !== "" ? [{ id: value, path: [field] }] : [];
  return value.flatMap((id, index) => (typeof id === "string" && id !== "" ? [{ id, path: [field, index] }] : []));
}
