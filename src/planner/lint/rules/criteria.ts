import { linesIn } from "../../spec/body_lines.ts";
import { CRITERIA_SECTION, criteriaOf } from "../../spec/criteria.ts";
import { type Section, sectionsOf } from "../../spec/sections.ts";
import type { RuleFinding } from "../finding.ts";
import type { Rule } from "../rule.ts";

const HEADING = /^ {0,3}#{1,6}[ \t]+acceptance criteria:?[ \t]*#*$/i;
const SOME = /^ {0,3}#{1,6}[ \t]+acceptance criteria/im;

/** The criteria are where planner finds them: in one section, before the output, outside code fences. */
export const criteria: Rule = {
  name: "criteria",
  *check({ body }, { config }) {
    yield* judgedChecks(body, config.verify.require_checks);
    if (!SOME.test(body)) return;
    const [first, ...further] = sectionsOf(body, CRITERIA_SECTION);
    if (first === undefined) yield* findSwallowedSection(body);
    else {
      yield* behindOutput(body, first);
      for (const { heading } of further) {
        yield warning(
          heading.line,
          `a further section '${heading.text}', which does not count: the first is in line ${first.heading.line} of the body`,
          "Move its criteria into the first section",
        );
      }
    }
  },
};

// Alone, or as the last of several commands, whose status is the check's.
const CANNOT_FAIL = /(?:^|\|\||;)\s*(?:true|:|exit(?:\s+0)?|(?:echo|printf)\b[^|&;<>`$]*)$/;

/** A check that succeeds whatever was done proves nothing. */
function* judgedChecks(body: string, requiresChecks: boolean): Iterable<RuleFinding> {
  for (const { verify, verifyLine, line, label } of criteriaOf(body)) {
    if (verify !== null && CANNOT_FAIL.test(verify)) {
      const suggestion = "Name a command that fails while the work is not done";
      yield warning(verifyLine ?? line, `check '${verify}' cannot fail`, suggestion);
    } else if (verify === null && requiresChecks) {
      const suggestion = "Add a line 'verify: <command>' below it";
      yield warning(line, `criterion '${label}' names no check`, suggestion);
    }
  }
}

function* behindOutput(body: string, { heading }: Section): Iterable<RuleFinding> {
  const output = sectionsOf(body, "Output").find(
    ({ heading: { level, start } }) => level === 2 && start < heading.start,
  );
  if (output === undefined) return;
  yield warning(
    heading.line,
    `section '${heading.text}' is behind '## Output', where an agent may have written it`,
    "Move it before the output",
  );
}

/** A fence that was meant to end closes an outer one or opens a new one, and takes the section with it. */
function* findSwallowedSection(body: string): Iterable<RuleFinding> {
  for (const { text, number, fencedBy } of linesIn(body)) {
    if (fencedBy === null || !HEADING.test(text)) continue;
    yield warning(
      number,
      `section '${text.replace(/^[\s#]+/, "")}' is inside the code fence of line ${fencedBy} of the body, so its criteria do not count`,
      "Give the outer fence more backticks than the inner one, or close it",
    );
    return;
  }
}

function warning(bodyLine: number, message: string, suggestion: string): RuleFinding {
  return { severity: "warning", field: "body", message, bodyLine, suggestion };
}
