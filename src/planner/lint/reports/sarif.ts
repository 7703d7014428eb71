import { RULE_NAMES } from "#planner/config/config_values.ts";
import type { FileReport, Finding, LintReport, Rule } from "../finding.ts";
import { LINT_RULES } from "../lint_specs.ts";

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
