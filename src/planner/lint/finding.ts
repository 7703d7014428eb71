import type { SpecRules } from "../config/config.ts";
import type { RuleName } from "../config/config_values.ts";
import type { FieldPath } from "../spec/frontmatter_places.ts";

export type Severity = "error" | "warning";

/** A finding as a rule returns it, without its line and column in the file. */
export interface RuleFinding {
  readonly severity: Severity;
  /** The frontmatter field that is to blame, or `frontmatter` or `body`. */
  readonly field: string;
  /** In the form of docs/contract/spec-tool.md#lint-text-report: lower case, values in single quotes, no period. */
  readonly message: string;
  /** The values that the field may have, where they are enumerated. */
  readonly allowed?: readonly string[];
  /** What to do about it: a sentence without a period. */
  readonly suggestion?: string | undefined;
  readonly path?: FieldPath;
  /** Line in the body, from 1. */
  readonly bodyLine?: number | undefined;
}

/** Something that lint has to say about a file. Source: docs/contract/spec-tool.md#lint-diagnostic. */
export interface Finding {
  readonly rule: RuleName;
  readonly severity: Severity;
  readonly field: string;
  readonly message: string;
  /** Empty where nothing is enumerated. */
  readonly allowed: readonly string[];
  readonly suggestion?: string;
  /** In the whole file, from 1; absent where no line is to blame, as for a field that is missing. */
  readonly line?: number;
  /** In characters, from 1. */
  readonly column?: number;
}

/** The findings of one file in rule order. */
export interface FileReport {
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly specId: string;
  readonly findings: readonly Finding[];
}

export interface LintReport {
  readonly specsChecked: number;
  readonly errors: number;
  readonly warnings: number;
  /** Only files with findings, sorted by spec id. */
  readonly files: readonly FileReport[];
}

export function lintReport(specsChecked: number, files: readonly FileReport[]): LintReport {
  let errors = 0;
  let warnings = 0;
  for (const { findings } of files) {
    for (const { severity } of findings) {
      if (severity === "error") errors++;
      else warnings++;
    }
  }
  return { specsChecked, errors, warnings, files: files.filter(({ findings }) => findings.length > 0) };
}

/** Whether `lint.disable` or `lint.severity` switches the rule off. */
export function isOff({ lint }: SpecRules, rule: RuleName): boolean {
  return lint.disable.includes(rule) || lint.severity[rule] === "off";
}

/** The severity of a finding: that of `lint.severity`, else the rule's own. */
export function severityOf({ lint }: SpecRules, rule: RuleName, own: Severity): Severity {
  const set = lint.severity[rule];
  return set === undefined || set === "off" ? own : set;
}
