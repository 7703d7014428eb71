import type { FileReport, Finding, LintReport } from "../finding.ts";
import { totalLine } from "./text.ts";

/**
 * Returns workflow commands with which GitHub Actions annotates the lines of a pull request, and the count as the last
 * line for readers of the log. A finding without a line is shown at the top of its file, which is GitHub's default.
 *
 * @param prefix path from the repository's root to the project's, `""` or ending in a slash: GitHub resolves paths from
 *   the repository's root
 *
 * Source: GitHub's workflow commands `error` and `warning`.
 */
export function githubReport(report: LintReport, prefix = ""): string {
  const lines = report.files.flatMap((file) => file.findings.map((finding) => command(file, finding, prefix)));
  return [...lines, totalLine(report), ""].join("\n");
}

function command({ file }: FileReport, finding: Finding, prefix: string): string {
  const { severity, rule, message, suggestion, line, column } = finding;
  const properties = Object.entries({ file: prefix + file, line: line ?? 1, col: column, title: `planner ${rule}` })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  const text = suggestion === undefined ? message : `${message}\n${suggestion}`;
  return `::${severity} ${properties.join(",")}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
