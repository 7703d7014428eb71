import type { FieldPath } from "../../spec/full_frontmatter.ts";
import { visitUnfencedLines } from "../../spec/sections.ts";
import type { Spec } from "../../spec/spec.ts";
import { parseParentId, type SpecId } from "../../spec/spec_id.ts";
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

const SPEC_ID_PATTERN = /(?<![\w-])\d{4}-\d{2}-\d{2}-[0-9a-z]{3}-[0-9a-z]+(?:\.\d+)*(?![\w-])/g;
const ID_SUFFIX_LENGTH = 3;

/**
 * Requires that the body outside fenced code names no other spec, so that an agent need not read another spec. A driver
 * or a group may name its members, a member any spec except siblings, and every spec its `depends_on`.
 */
export const couplingRule: Rule = {
  name: "coupling",
  summary: "The body names no other spec",
  severity: "warning",
  reports:
    "Warning: the body outside of fences names another spec that `depends_on` does not list. A driver or group may " +
    "name its members, a member all but its siblings.",
  *check(spec, world) {
    if (spec.type === "driver" || spec.type === "group") return;
    for (const [id, bodyLine] of findSpecReferences(spec.body)) {
      if (!isCouplingReference(id, spec, world)) continue;
      yield {
        severity: "warning",
        field: "body",
        message: `body references spec '${id}'`,
        bodyLine,
        suggestion: "List it under depends_on, or say here what matters of it",
      };
    }
  },
};

/** Finds the ids that a body names, each with the first line that contains the id. */
function findSpecReferences(body: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  // Visiting every line costs a hundred times as much as this search of the whole text.
  if (body.search(SPEC_ID_PATTERN) === -1) return found;
  visitUnfencedLines(body, ({ text, number }) => {
    for (const [id] of text.matchAll(SPEC_ID_PATTERN)) if (!found.has(id)) found.set(id, number);
    return false;
  });
  return found;
}

function isCouplingReference(id: string, spec: Spec, { knownIds }: LintWorld): boolean {
  if (id === spec.id || spec.dependsOn.includes(id)) return false;
  const parent = parseParentId(spec.id);
  if (parent !== undefined) return parseParentId(id as SpecId) === parent;
  // Other file names with a date, such as `2026-11-21-the-plan`, match the same pattern.
  return knownIds.has(id) || /-([0-9a-z]+)(?:\.|$)/.exec(id.slice(14))?.[1]?.length === ID_SUFFIX_LENGTH;
}
