import { visitUnfencedLines } from "../../spec/sections.ts";
import type { Spec } from "../../spec/spec.ts";
import { parseParentId, type SpecId } from "../../spec/spec_id.ts";
import type { LintWorld, Rule } from "../finding.ts";

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
