import { RULE_NAMES } from "#planner/config/config.ts";
import { compareSpecIds } from "../spec/spec_id.ts";
import type { FileReport, Finding, LintReport, Rule, Severity } from "./finding.ts";
import type { FixedFile } from "./fix_text.ts";
import { LINT_RULES } from "./lint_specs.ts";

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
function formatFindingTotal({ errors, warnings }: LintReport): string {
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

/** One finding in the JSON report. Source: docs/contract/spec-tool.md#lint-json-report. */
interface JsonFinding {
  readonly file: string;
  readonly field: string;
  readonly message: string;
  readonly allowed: readonly string[];
}

interface JsonReport {
  /** False if there is an error; warnings do not count. */
  readonly valid: boolean;
  readonly errors: readonly JsonFinding[];
  readonly warnings: readonly JsonFinding[];
  /** Fixes of each file; only with `--fix`. */
  readonly fixed?: readonly { readonly file: string; readonly fixes: readonly string[] }[];
}

/** Builds the JSON report. Source: docs/contract/spec-tool.md#lint-json-report; docs/decisions.md#s-12. */
export function buildJsonReport(report: LintReport, fixed?: readonly FixedFile[]): JsonReport {
  return {
    valid: report.errors === 0,
    errors: selectFindings(report, "error"),
    warnings: selectFindings(report, "warning"),
    ...(fixed === undefined ? {} : { fixed: fixed.map(({ file, fixes }) => ({ file, fixes })) }),
  };
}

function selectFindings({ files }: LintReport, wanted: Severity): readonly JsonFinding[] {
  return files.flatMap(({ file, findings }) =>
    findings
      .filter(({ severity }) => severity === wanted)
      .map(({ field, message, allowed }: Finding) => ({ file, field, message, allowed })),
  );
}

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

/** URL of the SARIF schema, which validators use. */
const SARIF_SCHEMA_URL = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

export interface SarifOptions {
  readonly version: string;
  /** Path from the repository's root, which code scanning requires, to the project's. `""` or ends in a slash. */
  readonly prefix?: string;
  /** The project's name. Code scanning uses it to keep the findings of several projects in one repository apart. */
  readonly project?: string | null;
}

/**
 * Builds a SARIF 2.1.0 log for code scanning: one run with a table of all rules and one result per finding. Code
 * scanning requires a region for each result, so a finding without a line gets line 1.
 *
 * Source: docs/decisions.md#s-12; OASIS SARIF 2.1.0.
 */
export function buildSarifReport(report: LintReport, { version, prefix = "", project = null }: SarifOptions): unknown {
  return {
    $schema: SARIF_SCHEMA_URL,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "planner", version, rules: LINT_RULES.map(buildRuleDescriptor) } },
        ...(project === null ? {} : { automationDetails: { id: `planner/${project}/` } }),
        columnKind: "utf16CodeUnits",
        results: report.files.flatMap((file) =>
          file.findings.map((finding) => buildSarifResult(file, finding, prefix)),
        ),
      },
    ],
  };
}

function buildRuleDescriptor({ name, summary, severity, reports }: Rule): unknown {
  return {
    id: name,
    shortDescription: { text: summary },
    fullDescription: { text: reports },
    defaultConfiguration: { level: severity },
  };
}

function buildSarifResult({ file }: FileReport, finding: Finding, prefix: string): unknown {
  const { rule, severity, message, suggestion, line, column } = finding;
  return {
    ruleId: rule,
    ruleIndex: RULE_NAMES.indexOf(rule),
    level: severity,
    message: { text: suggestion === undefined ? message : `${message}\n${suggestion}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeUri(prefix + file), uriBaseId: "%SRCROOT%" },
          region: { startLine: line ?? 1, ...(column === undefined ? {} : { startColumn: column }) },
        },
      },
    ],
  };
}

function encodeUri(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
