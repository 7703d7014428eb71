import { compareSpecIds } from "../../spec/spec_id.ts";
import type { FileReport, Finding, LintReport } from "../finding.ts";
import type { FixedFile } from "../fix/fix_text.ts";

/**
 * The report for people, in the contract's form: for each file a line with its path, then for each finding a line
 * `  <severity>: <message>`, and at the very end the count. What the contract's lines do not hold (the place in the file,
 * what to do about it, what was fixed) is on separate lines, so that theirs stay to the letter.
 *
 * @param fixed what `--fix` changed, or would; files with nothing else to say are listed too
 * @param said how such a line begins
 *
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-12.
 */
export function textReport(report: LintReport, fixed: readonly FixedFile[] = [], said = "fixed"): string {
  const fixes = new Map(fixed.map((file) => [file.file, file.fixes]));
  const files = [...report.files, ...onlyFixed(report, fixed)];
  files.sort((a, b) => compareSpecIds(a.specId, b.specId));
  const lines = files.flatMap((file) => [
    `${oneLine(file.file)}:`,
    ...(fixes.get(file.file) ?? []).map((fix) => `  ${said}: ${fix}`),
    ...file.findings.flatMap((finding) => findingLines(file, finding)),
  ]);
  return [...lines, totalLine(report), ""].join("\n");
}

/** `<n> errors, <m> warnings`, the plural whatever the number. Source: docs/contract/spec-tool.md#lint-text-report. */
export function totalLine({ errors, warnings }: LintReport): string {
  return `${errors} errors, ${warnings} warnings`;
}

function onlyFixed(report: LintReport, fixed: readonly FixedFile[]): readonly FileReport[] {
  const listed = new Set(report.files.map(({ file }) => file));
  return fixed.filter(({ file }) => !listed.has(file)).map(({ file, specId }) => ({ file, specId, findings: [] }));
}

function findingLines({ file }: FileReport, { severity, message, suggestion, line, column }: Finding): string[] {
  // Terminals and editors make `file:line:column` a link.
  const place = line === undefined ? [] : [`    at ${file}:${line}${column === undefined ? "" : `:${column}`}`];
  const advice = suggestion === undefined ? [] : [`    → ${oneLine(suggestion)}`];
  return [`  ${severity}: ${oneLine(message)}`, ...place, ...advice];
}

/** Values from files may hold line breaks, which would break the form. */
function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]\s*/g, " ");
}
