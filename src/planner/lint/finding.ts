import type { SpecRules } from "../config/config.ts";
import type { RuleName } from "../config/config_values.ts";
import type { FieldPath } from "../spec/frontmatter_places.ts";

export type Severity = "error" | "warning";

/** A finding as a rule returns it, without line and column in the file. */
export interface RuleFinding {
  readonly severity: Severity;
  /** Name of the frontmatter field that the finding is about, or `frontmatter`, `body` or `file`. */
  readonly field: string;
  /** Message as in docs/contract/spec-tool.md#lint-text-report: lower case, values in single quotes, no period. */
  readonly message: string;
  /** The accepted values of the field, if it has an enum. */
  readonly allowed?: readonly string[];
  /** Sentence without a period that explains how to fix the problem. */
  readonly suggestion?: string | undefined;
  readonly path?: FieldPath;
  /** Line in the body, from 1. */
  readonly bodyLine?: number | undefined;
}

/** Creates a finding about a whole frontmatter field. */
export function createFieldFinding(
  severity: Severity,
  field: string,
  message: string,
  suggestion?: string,
): RuleFinding {
  return { severity, field, message, path: [field], suggestion };
}

/** An error or warning about a file. Source: docs/contract/spec-tool.md#lint-diagnostic. */
export interface Finding {
  readonly rule: RuleName;
  readonly severity: Severity;
  readonly field: string;
  readonly message: string;
  /** The accepted values of the field; empty if it has no enum. */
  readonly allowed: readonly string[];
  readonly suggestion?: string;
  /** Line in the whole file, from 1; absent if the finding has no line, such as for a missing field. */
  readonly line?: number;
  /** Column in characters, from 1. */
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
  /** Reports of the files with findings, sorted by spec id. */
  readonly files: readonly FileReport[];
}

export function createLintReport(specsChecked: number, files: readonly FileReport[]): LintReport {
  const findings = files.flatMap((file) => file.findings);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  return { specsChecked, errors, warnings, files: files.filter((file) => file.findings.length > 0) };
}

/** Returns whether `lint.disable` or `lint.severity` disables the rule. */
export function isRuleDisabled({ lint }: SpecRules, rule: RuleName): boolean {
  return lint.disable.includes(rule) || lint.severity[rule] === "off";
}

/** Returns the severity of a finding: that of `lint.severity`, otherwise the rule's own. */
export function resolveSeverity({ lint }: SpecRules, rule: RuleName, own: Severity): Severity {
  const set = lint.severity[rule];
  return set === undefined || set === "off" ? own : set;
}
