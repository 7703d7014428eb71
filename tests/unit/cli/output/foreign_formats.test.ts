import { expect, test } from "bun:test";
import { sanitizeReport } from "#cli/output/print.ts";
import { formatJunitReport, formatMarkdownReport, formatSinceTextReport } from "#cli/verify_since.ts";
import type { LintReport } from "#planner/lint/finding.ts";
import { buildSarifReport, formatGithubReport } from "#planner/lint/reports.ts";
import type { VerifySinceReport } from "#planner/runs/proof/verify_since.ts";

/** All that some format or its viewer obeys. */
const EVIL =
  "a\u001b[2J\u0007\u0000\u009b2J\u202e\u2028\r\n::error::x\n##[error]y\n</td><img src=x>|`*_[l](j:x)&amp;\ufffe\ud800]]>\u0022\u0027%0A";

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029\u2066-\u2069]/;

const SINCE = {
  since: "a".repeat(40),
  commit: "b".repeat(40),
  specs: [
    {
      spec_id: `2026-11-21-001-${EVIL}`,
      title: EVIL,
      verdict: "disproven",
      problem: EVIL,
      proposed: [{ change: "added", label: EVIL, command: EVIL }],
      unproven: EVIL,
      output: { problem: EVIL, refused: true },
      record: { run: 1, checks: [{ part: "tree", result: "differs", detail: EVIL }] },
      edited: [{ command: EVIL, path: EVIL }],
      criteria: ["disproven", "edited", "not_run", "proposed"].map((verdict) => ({
        label: EVIL,
        verify: EVIL,
        verdict,
        check: verdict === "disproven" ? { problem: EVIL, duration_ms: 5 } : null,
      })),
    },
  ],
} as unknown as VerifySinceReport;

const LINT: LintReport = {
  files: [
    {
      file: `.planner/specs/${EVIL}.md`,
      findings: [{ rule: "parse", severity: "error", message: EVIL, suggestion: EVIL, line: 2 }],
    },
  ],
  errors: 1,
  warnings: 0,
} as unknown as LintReport;

test("an annotation of GitHub is one line of its own, whatever a finding holds", () => {
  const printed = formatGithubReport(sanitizeReport(LINT));

  expect(printed).not.toMatch(OBEYED);
  expect(printed.split("\n").filter((line) => line.trimStart().startsWith("::"))).toHaveLength(1);
  expect(printed.split("\n").filter((line) => line.includes("##["))).toHaveLength(1);
  // What GitHub decodes again.
  expect(printed.replaceAll("%0D", "\r")).not.toMatch(OBEYED);
});

test("texts of SARIF hold nothing that a viewer's terminal obeys", () => {
  const texts: string[] = [];
  JSON.stringify(sanitizeReport(buildSarifReport(LINT, { version: "1", project: EVIL })), (_key, value) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });

  for (const text of texts) expect(text).not.toMatch(OBEYED);
});

test("JUnit's XML holds only characters that XML allows, and no text closes an element", () => {
  const xml = formatJunitReport(SINCE);

  expect(xml).not.toMatch(OBEYED);
  expect(xml.isWellFormed()).toBe(true);
  expect(xml).not.toMatch(/[\ufffe\uffff]|<img|<\/td>|&(?!(?:amp|lt|gt|quot|#\d+);)/);
  expect(xml.match(/<\w+/g)?.filter((tag) => !/^<(?:testsuites?|testcase|failure|error|skipped)$/.test(tag))).toEqual(
    [],
  );
});

test("a job summary shows every sign of Markdown and HTML, and each row stays one row", () => {
  const markdown = formatMarkdownReport(SINCE, () => true);
  const rows = markdown.split("\n").filter((line) => line.startsWith("|"));

  expect(markdown).not.toMatch(OBEYED);
  expect(markdown).not.toMatch(/<(?!\/?b>)|`|\]\(|\*/);
  for (const row of rows) expect(row.split("|")).toHaveLength(6);
  expect(markdown.split("\n").filter((line) => line !== "" && !/^(?:\||##|1 spec)/.test(line))).toEqual([]);
});

test("a report for a pipeline's log begins no line with a command", () => {
  const lines = formatSinceTextReport(SINCE).split("\n");

  for (const line of lines) expect(line).not.toMatch(OBEYED);
  expect(lines.filter((line) => /^\s*(?:::|##\[)/.test(line))).toEqual([]);
});
