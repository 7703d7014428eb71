import { CONFLICT, conflictLine } from "../../spec/conflict_markers.ts";
import type { Spec } from "../../spec/spec.ts";
import type { RuleFinding } from "../finding.ts";
import type { Rule } from "../rule.ts";

/** The file can be read, its frontmatter parsed, and no conflict of git is left; an unreadable file gets no other finding. */
export const parse: Rule = {
  name: "parse",
  check: conflictFindings,
  *checkUnreadable({ line, message }) {
    yield line === null
      ? { severity: "error", field: "file", message: `cannot be read: ${message}` }
      : { severity: "error", field: "frontmatter", message: `cannot be parsed: ${message}` };
  },
};

/** A conflict in the body: the rest of the spec can still be read, and edited. */
export function* conflictFindings({ body }: Spec): Iterable<RuleFinding> {
  const line = conflictLine(body);
  if (line !== undefined) yield { severity: "error", field: "body", message: CONFLICT, bodyLine: line };
}
