import type { PlannerConfig } from "../config/config.ts";
import type { RuleName } from "../config/config_values.ts";
import type { StrayEntry } from "../ports.ts";
import type { FieldPath } from "../spec/frontmatter_places.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import { compareSpecIds } from "../spec/spec_id.ts";
import {
  type FileReport,
  type Finding,
  isOff,
  type LintReport,
  lintReport,
  type RuleFinding,
  severityOf,
} from "./finding.ts";
import type { Rule } from "./rule.ts";
import { approval } from "./rules/approval.ts";
import { complexity } from "./rules/complexity.ts";
import { coupling } from "./rules/coupling.ts";
import { criteria } from "./rules/criteria.ts";
import { dependency } from "./rules/dependency.ts";
import { modelWaste } from "./rules/model_waste.ts";
import { output } from "./rules/output.ts";
import { parse } from "./rules/parse.ts";
import { required } from "./rules/required.ts";
import { title } from "./rules/title.ts";
import { type } from "./rules/type.ts";
import { SpecFacts } from "./spec_facts.ts";
import { type LintInput, World } from "./world.ts";

/** Every rule in report order, which is that of `RULE_NAMES`. */
export const rules: readonly Rule[] = [
  parse,
  required,
  title,
  type,
  dependency,
  approval,
  output,
  criteria,
  complexity,
  coupling,
  modelWaste,
];

/** A finding whose line is still to be looked up: `path` says which frontmatter value it is about. */
export type UnplacedFinding = Finding & { readonly path?: FieldPath };

/**
 * Judges every spec of the input by every rule that is not switched off. Findings in the body have their line;
 * those in the frontmatter carry a `path`, which `placeFindings` turns into line and column. Pure; never throws.
 *
 * Cost: linear in the text of the specs. Source: docs/contract/spec-tool.md#lint-diagnostic; docs/decisions.md#s-11.
 */
export function lintSpecs(input: LintInput): LintReport {
  const { config, strays = [] } = input;
  const active = rules.filter(({ name }) => !isOff(config, name));
  const world = new World(input);
  const files = [
    ...input.unreadable.map((file) => unreadableReport(file, active, config)),
    ...input.specs
      .map((spec) => specReport(spec, active, world))
      .map((file, at) => {
        return input.judgesClosed || isOpen(input.specs[at]) ? file : withoutAdvice(file);
      }),
  ];
  const others = isOff(config, "parse") ? [] : strays.map((stray) => strayReport(stray, config));
  files.sort((a, b) => compareSpecIds(a.specId, b.specId));
  return lintReport(files.length, [...files, ...others]);
}

/** The id of a file that could not be read, from its name. */
export function idOfFile(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).replace(/\.md$/, "");
}

function specReport(spec: Spec, active: readonly Rule[], world: World): FileReport {
  const findings: UnplacedFinding[] = [];
  const facts = new SpecFacts(spec);
  for (const { name, check } of active) {
    if (check === undefined) continue;
    for (const found of check(spec, world, facts)) {
      const line = found.bodyLine === undefined ? {} : { line: spec.bodyLine + found.bodyLine - 1 };
      findings.push({ ...finding(name, found, world.config), ...line, ...pathIn(spec, found.path) });
    }
  }
  return { file: spec.file, specId: spec.id, findings };
}

const CLOSED: ReadonlySet<string> = new Set(["completed", "cancelled"]);

function isOpen(spec: Spec | undefined): boolean {
  return spec === undefined || !CLOSED.has(spec.status);
}

/** Advice about work that is done helps no one; what is wrong, and what is said of its output, stays. */
function withoutAdvice(file: FileReport): FileReport {
  return { ...file, findings: file.findings.filter(({ severity, rule }) => severity === "error" || rule === "output") };
}

const STRAYS: Readonly<Record<StrayEntry["kind"], readonly [message: string, suggestion: string]>> = {
  folder: ["a folder is not read", "Move its specs right into .planner/specs"],
  upper_case_ending: ["a file without the ending '.md' is not read", "Rename it to end with .md"],
};

function strayReport({ file, kind }: StrayEntry, config: PlannerConfig): FileReport {
  const [message, suggestion] = STRAYS[kind];
  const found = finding("parse", { severity: "warning", field: "file", message, suggestion }, config);
  return { file, specId: idOfFile(file), findings: [found] };
}

/** Returns no path for an absent field, because it has no line. */
function pathIn({ frontmatter }: Spec, path: FieldPath | undefined): { readonly path?: FieldPath } {
  return path !== undefined && Object.hasOwn(frontmatter, path[0] ?? "") ? { path } : {};
}

function unreadableReport(unreadable: UnreadableFile, active: readonly Rule[], config: PlannerConfig): FileReport {
  const { file, line, column } = unreadable;
  const place = line === null ? {} : { line, ...(column === null ? {} : { column }) };
  const findings = active.flatMap(({ name, checkUnreadable }) =>
    [...(checkUnreadable?.(unreadable) ?? [])].map((found) => ({ ...finding(name, found, config), ...place })),
  );
  return { file, specId: idOfFile(file), findings };
}

function finding(
  rule: RuleName,
  { severity, field, message, allowed, suggestion }: RuleFinding,
  config: PlannerConfig,
): Finding {
  return {
    rule,
    severity: severityOf(config, rule, severity),
    field,
    message,
    allowed: allowed ?? [],
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
