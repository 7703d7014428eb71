import type { Finding, LintReport, Severity } from "../finding.ts";
import type { FixedFile } from "../fix/fix_text.ts";

/** One finding in the JSON report. Source: docs/contract/spec-tool.md#lint-json-report. */
export interface JsonFinding {
  readonly file: string;
  readonly field: string;
  readonly message: string;
  readonly allowed: readonly string[];
}

export interface JsonReport {
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
