import { CRITERIA_SECTION, parseCriteria, quoteItem, readCriteria } from "../../spec/criteria.ts";
import { findSections, iterateLines, type Section } from "../../spec/sections.ts";
import { createFieldFinding, type Rule, type RuleFinding } from "../finding.ts";

/** Requires a title: the first heading of the body, or the field `title`. */
export const titleRule: Rule = {
  name: "title",
  summary: "The spec has a title",
  severity: "error",
  reports: "Error: neither a heading `# …` nor a `title`.",
  *check(spec) {
    if (spec.title !== null) return;
    yield {
      severity: "error",
      field: "title",
      message: "missing title",
      suggestion: "Begin the body with a heading: # <title>",
    };
  },
};

const CRITERIA_HEADING_PATTERN = /^ {0,3}#{1,6}[ \t]+acceptance criteria:?[ \t]*#*$/i;
const CRITERIA_START_PATTERN = /^ {0,3}#{1,6}[ \t]+acceptance criteria/im;

/** Requires the criteria where planner finds them: in one section, before the output, outside code fences. */
export const criteriaRule: Rule = {
  name: "criteria",
  summary: "The acceptance criteria are boxes in one section, before the output",
  severity: "warning",
  reports:
    "Warning: a list item in the section, or what looks like a box, that is not read as a criterion (`- []`, `- [✓]`, a " +
    "plain bullet), a check that belongs to none, a further section `Acceptance Criteria`, one behind `## Output` or in a code fence, a check that cannot " +
    "fail (`true`, `npm test || true`), and with `verify.require_checks` a criterion without a check.",
  *check({ body }, { config }) {
    for (const { line, text, advice } of readCriteria(body).near) {
      yield createCriteriaWarning(line, `${quoteItem(text)} is not read as a criterion`, capitalize(advice));
    }
    yield* findUselessChecks(body, config.verify.require_checks);
    if (!CRITERIA_START_PATTERN.test(body)) return;
    const [first, ...further] = findSections(body, CRITERIA_SECTION);
    if (first === undefined) yield* findFencedSection(body);
    else {
      yield* findCriteriaAfterOutput(body, first);
      for (const { heading } of further) {
        yield createCriteriaWarning(
          heading.line,
          `a further section '${heading.text}', which does not count: the first is in line ${first.heading.line} of the body`,
          "Move its criteria into the first section",
        );
      }
    }
  },
};

// Commands that always succeed, alone or as the last of several commands, whose exit status is the check's.
const USELESS_CHECK_PATTERN = /(?:^|\|\||;)\s*(?:true|:|exit(?:\s+0)?|(?:echo|printf)\b[^|&;<>`$]*)$/;

/** Reports checks that always succeed, because they prove nothing, and missing checks if they are required. */
function* findUselessChecks(body: string, requiresChecks: boolean): Iterable<RuleFinding> {
  for (const { verify, verifyLine, line, label } of parseCriteria(body)) {
    if (verify !== null && USELESS_CHECK_PATTERN.test(verify)) {
      const suggestion = "Name a command that fails while the work is not done";
      yield createCriteriaWarning(verifyLine ?? line, `check '${verify}' cannot fail`, suggestion);
    } else if (verify === null && requiresChecks) {
      const suggestion = "Add a line 'verify: <command>' below it";
      yield createCriteriaWarning(line, `criterion '${label}' names no check`, suggestion);
    }
  }
}

function* findCriteriaAfterOutput(body: string, { heading }: Section): Iterable<RuleFinding> {
  const output = findSections(body, "Output").find(
    ({ heading: { level, start } }) => level === 2 && start < heading.start,
  );
  if (output === undefined) return;
  yield createCriteriaWarning(
    heading.line,
    `section '${heading.text}' is behind '## Output', where an agent may have written it`,
    "Move it before the output",
  );
}

/** Finds a criteria section in a code fence: a closing fence read as an opening one, or the reverse, moves it there. */
function* findFencedSection(body: string): Iterable<RuleFinding> {
  for (const { text, number, fencedBy } of iterateLines(body)) {
    if (fencedBy === null || !CRITERIA_HEADING_PATTERN.test(text)) continue;
    yield createCriteriaWarning(
      number,
      `section '${text.replace(/^[\s#]+/, "")}' is inside the code fence of line ${fencedBy} of the body, so its criteria do not count`,
      "Give the outer fence more backticks than the inner one, or close it",
    );
    return;
  }
}

function createCriteriaWarning(bodyLine: number, message: string, suggestion: string): RuleFinding {
  return { severity: "warning", field: "body", message, bodyLine, suggestion };
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const SPLIT_SUGGESTION = "Split it with `planner split`";

/** Requires a spec small enough for one session: criteria, target files and words within `lint.thresholds`. */
export const complexityRule: Rule = {
  name: "complexity",
  summary: "The spec is small enough: criteria, target files, words",
  severity: "warning",
  reports:
    "Warning: more than `complexity_criteria` criteria, `complexity_files` target files or `complexity_words` words, " +
    "`## Output` left out.",
  *check(spec, { config }, facts) {
    const { complexity_criteria, complexity_files, complexity_words } = config.lint.thresholds;
    const { criteria, words } = facts;
    if (criteria.length > complexity_criteria) {
      const message = `${criteria.length} acceptance criteria, more than ${complexity_criteria}`;
      yield { ...COMPLEXITY_WARNING, field: "body", message, bodyLine: criteria[complexity_criteria]?.line };
    }
    if (spec.targetFiles.length > complexity_files) {
      const message = `${spec.targetFiles.length} target files, more than ${complexity_files}`;
      yield { ...COMPLEXITY_WARNING, field: "target_files", message, path: ["target_files"] };
    }
    if (words > complexity_words) {
      yield {
        ...COMPLEXITY_WARNING,
        field: "body",
        message: `${words} words, more than ${complexity_words}`,
        bodyLine: 1,
      };
    }
  },
};

const COMPLEXITY_WARNING = {
  severity: "warning",
  suggestion: SPLIT_SUGGESTION,
} as const satisfies Partial<RuleFinding>;

const EXPENSIVE_MODEL_PATTERN = /opus|sonnet/i;
const EXEMPT_TYPES: ReadonlySet<string> = new Set(["driver", "group", "research"]);

/** Reports a simple spec that runs with an expensive model, its own or the configured one. */
export const modelWasteRule: Rule = {
  name: "model_waste",
  summary: "A simple spec does not ask for an expensive model",
  severity: "warning",
  reports:
    "Warning: a spec of at most `simple_criteria` criteria, `simple_files` files and `simple_words` words is worked " +
    "with an expensive model (`opus` or `sonnet` in its name). Drivers, groups and research may.",
  *check(spec, { config }, facts) {
    const { simple_criteria, simple_files, simple_words } = config.lint.thresholds;
    const model = spec.model ?? config.defaults.model;
    if (model === null || !EXPENSIVE_MODEL_PATTERN.test(model) || EXEMPT_TYPES.has(spec.type)) return;
    if (spec.targetFiles.length > simple_files || facts.words > simple_words) return;
    if (facts.criteria.length > simple_criteria) return;
    const suggestion = spec.model === null ? "Name a cheaper model in the spec" : "Name a cheaper model";
    yield createFieldFinding("warning", "model", `model '${model}' for a simple spec`, suggestion);
  },
};
