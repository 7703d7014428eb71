import { type FieldPath, frontmatterPlaces, type Place } from "../spec/frontmatter_places.ts";
import { splitText } from "../spec/split_text.ts";
import type { FileReport, Finding, LintReport } from "./finding.ts";
import type { UnplacedFinding } from "./lint_specs.ts";

/**
 * Gives every finding about a frontmatter value the line and column of that value.
 *
 * @param textOf the text of a file that was judged; asked only for files with such findings
 *
 * Cost: one read for each of those files, and a YAML parse where the value is nested or oddly written.
 */
export async function placeFindings(
  report: LintReport,
  textOf: (file: FileReport) => Promise<string>,
): Promise<LintReport> {
  const files: FileReport[] = [];
  for (const file of report.files) {
    const findings: readonly UnplacedFinding[] = file.findings;
    const unplaced = findings.some(({ path }) => path !== undefined);
    files.push(unplaced ? { ...file, findings: placed(findings, await textOf(file)) } : file);
  }
  return { ...report, files };
}

function placed(findings: readonly UnplacedFinding[], text: string): readonly Finding[] {
  const exact = frontmatterPlaces(text);
  return findings.map(({ path, ...finding }) => {
    const place = path === undefined ? undefined : (quickPlace(text, path) ?? exact(path));
    return { ...finding, ...place };
  });
}

/**
 * The place of a top-level value that is written plainly behind its key, found without parsing: most findings are about
 * such a value, and parsing the YAML of thousands of files again would take longer than all the rules.
 */
function quickPlace(text: string, path: FieldPath): Place | undefined {
  const [key] = path;
  const split = splitText(text);
  if (path.length !== 1 || typeof key !== "string" || !split.ok || split.range === null) return undefined;
  const lines = text.slice(split.range.start, split.range.end).split(/\r\n?|\n/);
  const matches = lines.flatMap((line, index) => (line.startsWith(`${key}:`) ? [index] : []));
  const [index] = matches;
  if (matches.length !== 1 || index === undefined) return undefined;
  const value = /^[^:]+:[ ]+(?=[A-Za-z0-9])/.exec(lines[index] ?? "");
  // The opening fence is line 1.
  return value === null ? undefined : { line: index + 2, column: value[0].length + 1 };
}
