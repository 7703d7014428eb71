import { CONFLICT_MESSAGE, findConflictLine } from "../../spec/conflict_markers.ts";
import { findNearFields, findSecondBlock } from "../../spec/near.ts";
import type { Spec } from "../../spec/spec.ts";
import { createFieldFinding, type Rule, type RuleFinding, type Severity } from "../finding.ts";

/** Requires a readable file, parsable frontmatter and no git conflict. An unreadable file gets no other finding. */
export const parsingRule: Rule = {
  name: "parse",
  summary: "The file can be read and its YAML frontmatter parsed",
  severity: "error",
  reports:
    "Error: the frontmatter does not parse, a block of fields near the beginning does not open in line 1 with `---`, a " +
    "key differs from a field in case alone, or a conflict of git is left outside of code fences and `## Output`. " +
    "Warning: a folder in `.planner/specs`, or a file that ends with `.MD`; no command reads them.",
  *check(spec) {
    yield* findConflictFinding(spec);
    yield* findSecondBlockFinding(spec);
    for (const { key, meant, isCase } of findNearFields(spec.frontmatter)) {
      if (isCase) yield createNearFieldFinding("error", key, meant);
    }
  },
  *checkUnreadable({ line, message }) {
    yield line === null
      ? { severity: "error", field: "file", message: `cannot be read: ${message}` }
      : { severity: "error", field: "frontmatter", message: `cannot be parsed: ${message}` };
  },
};

/** Finds a git conflict in the body. The spec can still be read and edited. */
export function* findConflictFinding({ body }: Spec): Iterable<RuleFinding> {
  const line = findConflictLine(body);
  if (line !== undefined) yield { severity: "error", field: "body", message: CONFLICT_MESSAGE, bodyLine: line };
}

/** Finds a block of fields below the frontmatter. The spec can be read, but may not be what its file says. */
export function* findSecondBlockFinding({ body }: Spec): Iterable<RuleFinding> {
  const line = findSecondBlock(body);
  if (line === undefined) return;
  const message = "a second block of fields below the frontmatter is not read";
  yield { severity: "error", field: "frontmatter", message, bodyLine: line, suggestion: "Join both blocks into one" };
}

/** Returns the finding about a key that looks like a field of planner. */
export function createNearFieldFinding(severity: Severity, key: string, meant: string): RuleFinding {
  return createFieldFinding(severity, key, `field '${key}' is not read`, `Did you mean '${meant}'?`);
}
