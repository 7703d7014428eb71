import { compareSpecIds } from "../../spec/spec_id.ts";
import type { FileReport, Finding, LintReport } from "../finding.ts";
import type { FixedFile } from "../fix/fix_text.ts";

/**
 * Formats the report for people, in the contract's form: for each file a line with its path, then for each finding a
 * line `  <severity>: <message>`, and at the end the total. Information that the contract's lines do not contain
 * (location, suggestion, fixes) is on separate lines, so that those lines match the contract exactly.
 *
 * @param fixed the fixes that `--fix` made or would make; files with only fixes are listed too
 * @param fixLabel first word of a line about a fix
 *
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-12.
 */
export function formatTextReport(report: LintReport, fixed: readonly FixedFile[] = [], fixLabel = "fixed"): string {
  const fixes = new Map(fixed.map((file) => [file.file, file.fixes]));
  const files = [...report.files, ...listFixedWithoutFindings(report, fixed)];
  files.sort((a, b) => compareSpecIds(a.specId, b.specId));
  const lines = files.flatMap((file) => [
    `${joinLines(file.file)}:`,
    ...(fixes.get(file.file) ?? []).map((fix) => `  ${fixLabel}: ${fix}`),
    ...file.findings.flatMap((finding) => formatFinding(file, finding)),
  ]);
  return [...lines, formatFindingTotal(report), ""].join("\n");
}

/** Formats `<n> errors, <m> warnings`, always plural. Source: docs/contract/spec-tool.md#lint-text-report. */
export function formatFindingTotal({ errors, warnings }: LintReport): string {
  return `${errors} errors, ${warnings} warnings`;
}

function listFixedWithoutFindings(report: LintReport, fixed: readonly FixedFile[]): readonly FileReport[] {
  const listed = new Set(report.files.map(({ file }) => file));
  return fixed.filter(({ file }) => !listed.has(file)).map(({ file, specId }) => ({ file, specId, findings: [] }));
}

function formatFinding({ file }: FileReport, { severity, message, suggestion, line, column }: Finding): string[] {
  // Terminals and editors turn `file:line:column` into a link.
  const place = line === undefined ? [] : [`    at ${file}:${line}${column === undefined ? "" : `:${column}`}`];
  const advice = suggestion === undefined ? [] : [`    → ${joinLines(suggestion)}`];
  return [`  ${severity}: ${joinLines(message)}`, ...place, ...advice];
}

/** Replaces line breaks in values from files, because each finding must be one line. */
function joinLines(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]\s*/g, " ");
}
