import { distance } from "fastest-levenshtein";
import { findNearest } from "#kernel/nearest.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import type { PlannerConfig, RuleName, SpecRules } from "../config/config.ts";
import { MAX_NEAREST_IDS } from "../limits.ts";
import { type Criterion, parseCriteria } from "../spec/criteria.ts";
import type { FieldPath } from "../spec/full_frontmatter.ts";
import { findHeadings } from "../spec/sections.ts";
import type { Spec, StrayEntry, UnreadableFile } from "../spec/spec.ts";
import { parseParentId, type SpecId } from "../spec/spec_id.ts";
import { type Cycle, findCycles } from "./cycles.ts";

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

/** A lint rule. Both functions are pure and return no finding if nothing is wrong. */
export interface Rule {
  readonly name: RuleName;
  /** The rule's requirement, in one sentence, for code scanning. */
  readonly summary: string;
  /** Severity of most findings of the rule. */
  readonly severity: Severity;
  /** The errors and warnings that the rule reports, for code scanning and docs/lint.md. */
  readonly reports: string;
  /** Checks a spec that parses. */
  check?(spec: Spec, world: LintWorld, facts: SpecFacts): Iterable<RuleFinding>;
  /** Checks a file that does not parse. */
  checkUnreadable?(file: UnreadableFile): Iterable<RuleFinding>;
}

/** Data about a spec's body that several rules use, computed on first use. */
export class SpecFacts {
  readonly #spec: Spec;
  #criteria: readonly Criterion[] | undefined;
  #words: number | undefined;

  constructor(spec: Spec) {
    this.#spec = spec;
  }

  get criteria(): readonly Criterion[] {
    this.#criteria ??= parseCriteria(this.#spec.body);
    return this.#criteria;
  }

  /** Number of words that describe the work: `countWords` of `removeOutput`. */
  get words(): number {
    this.#words ??= countWords(removeOutput(this.#spec.body));
    return this.#words;
  }
}

/** Returns the body without `## Output` sections: runs append to them, so they do not show the size of the work. */
export function removeOutput(body: string): string {
  if (!body.includes("Output")) return body;
  const all = findHeadings(body);
  let text = "";
  let from = 0;
  for (const [index, { level, text: name, start }] of all.entries()) {
    if (level !== 2 || name !== "Output" || start < from) continue;
    text += body.slice(from, start);
    from = all.slice(index + 1).find((next) => next.level <= 2)?.start ?? body.length;
  }
  return text + body.slice(from);
}

/** Counts runs of non-blank characters with a letter or digit, so that `-`, `#` and `[ ]` do not count as words. */
export function countWords(text: string): number {
  let words = 0;
  let counted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpaceCode(code)) counted = false;
    else if (!counted && isWordCharacter(code)) {
      counted = true;
      words++;
    }
  }
  return words;
}

function isSpaceCode(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x2028 || code === 0x3000;
}

// Counts all non-ASCII characters except dashes, dots and quotes: exact Unicode classes cost more than they gain here.
function isWordCharacter(code: number): boolean {
  if (code > 127) return code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f);
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** Input of the rules, loaded before they run. */
export interface LintInput {
  readonly config: PlannerConfig;
  readonly specs: readonly Spec[];
  /** The files to check that cannot be read. */
  readonly unreadable: readonly UnreadableFile[];
  /** Every id that has a file, active or archived, readable or not. */
  readonly knownIds: ReadonlySet<string>;
  /** Further active specs: at least the transitive `depends_on` of the checked ones. */
  readonly neighbours?: readonly Spec[];
  /** Entries of the specs folder that planner does not read. */
  readonly strays?: readonly StrayEntry[];
  /** Whether completed and cancelled specs get every finding; otherwise only errors and findings about their output. */
  readonly reportsClosedSpecs: boolean;
  /** Results of checking the last run's output, for completed specs with an `output_schema`. */
  readonly outputs?: ReadonlyMap<SpecId, OutputVerdict>;
}

/** Maximum edit distance between a mistyped id and the suggested one. */
const MAX_ID_TYPING_ERRORS = 2;

/** Data about the project, for rules. Each part is computed on first use. */
export class LintWorld {
  readonly config: PlannerConfig;
  readonly knownIds: ReadonlySet<string>;
  readonly outputs: ReadonlyMap<SpecId, OutputVerdict>;
  readonly #active: readonly Spec[];
  #cycles: ReadonlyMap<string, readonly Cycle[]> | undefined;
  #parents: ReadonlySet<string> | undefined;
  #suggested = 0;

  constructor({ config, specs, knownIds, neighbours = [], outputs = new Map() }: LintInput) {
    this.config = config;
    this.knownIds = knownIds;
    this.outputs = outputs;
    this.#active = [...specs, ...neighbours];
  }

  listCycles(id: SpecId): readonly Cycle[] {
    this.#cycles ??= findCycles(new Map(this.#active.map((spec) => [spec.id as string, spec.dependsOn])));
    return this.#cycles.get(id) ?? [];
  }

  /** Returns whether member files `<id>.<n>` exist. */
  hasMembers(id: SpecId): boolean {
    this.#parents ??= new Set(
      [...this.knownIds].filter((known) => known.includes(".")).map((known) => parseParentId(known as SpecId) ?? ""),
    );
    return this.#parents.has(id);
  }

  /** Returns the known id that is closest to `text`, except that of `spec`; undefined if no id is close. */
  findNearestId(text: string, spec: Spec): string | undefined {
    if (this.#suggested++ >= MAX_NEAREST_IDS) return undefined;
    const others = [...this.knownIds].filter((id) => id !== spec.id);
    const matches = others.filter((id) => id.includes(text));
    if (matches.length === 1) return matches[0];
    const near = findNearest(text, others);
    // Ids of one day differ in few characters, so only a small edit distance indicates a typing error.
    return near !== undefined && distance(text, near) <= MAX_ID_TYPING_ERRORS ? near : undefined;
  }
}
