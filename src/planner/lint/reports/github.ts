import type { FileReport, Finding, LintReport } from "../finding.ts";
import { formatFindingTotal } from "./text.ts";

/**
 * Formats findings as workflow commands, with which GitHub Actions annotates the lines of a pull request. The last line
 * is the total, for readers of the log. GitHub shows a finding without a line at the top of its file.
 *
 * @param prefix path from the repository's root to the project's, `""` or ending in a slash: GitHub resolves paths from
 * the repository's root
 *
 * Source: GitHub's workflow commands `error` and `warning`.
 */
export function formatGithubReport(report: LintReport, prefix = ""): string {
  const lines = report.files.flatMap((file) => file.findings.map((finding) => formatCommand(file, finding, prefix)));
  return [...lines, formatFindingTotal(report), ""].join("\n");
}

function formatCommand({ file }: FileReport, finding: Finding, prefix: string): string {
  const { severity, rule, message, suggestion, line, column } = finding;
  const properties = Object.entries({ file: prefix + file, line: line ?? 1, col: column, title: `planner ${rule}` })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  const text = suggestion === undefined ? message : `${message}\n${suggestion}`;
  return `::${severity} ${properties.join(",")}::${escapeMessage(text)}`;
}

function escapeMessage(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
