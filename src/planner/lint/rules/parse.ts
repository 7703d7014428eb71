import { CONFLICT_MESSAGE, findConflictLine } from "../../spec/conflict_markers.ts";
import type { Spec } from "../../spec/spec.ts";
import type { RuleFinding } from "../finding.ts";
import type { Rule } from "../rule.ts";

/** Requires a readable file, parsable frontmatter and no git conflict. An unreadable file gets no other finding. */
export const parsingRule: Rule = {
  name: "parse",
  check: findConflictFinding,
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
