import type { PlannerConfig, RuleName } from "../config/config.ts";
import type { FieldPath } from "../spec/full_frontmatter.ts";
import { isDoneStatus, type Spec, type StrayEntry, type UnreadableFile } from "../spec/spec.ts";
import { compareSpecIds } from "../spec/spec_id.ts";
import {
  createLintReport,
  type FileReport,
  type Finding,
  isRuleDisabled,
  type LintInput,
  type LintReport,
  LintWorld,
  type Rule,
  type RuleFinding,
  resolveSeverity,
  SpecFacts,
} from "./finding.ts";
import { complexityRule, criteriaRule, modelWasteRule, titleRule } from "./rules/body.ts";
import { approvalRule, outputRule, parsingRule, requiredRule, typeRule } from "./rules/fields.ts";
import { couplingRule, dependencyRule } from "./rules/links.ts";

/** Every rule, in the order of `RULE_NAMES`, which is also the report's. */
export const LINT_RULES: readonly Rule[] = [
  parsingRule,
  requiredRule,
  titleRule,
  typeRule,
  dependencyRule,
  approvalRule,
  outputRule,
  criteriaRule,
  complexityRule,
  couplingRule,
  modelWasteRule,
];

/** A finding without line and column; `path` names the frontmatter value whose location is added later. */
export type UnlocatedFinding = Finding & { readonly path?: FieldPath };

/**
 * Checks every spec of the input by every enabled rule. Findings in the body have their line; those in the frontmatter
 * have a `path`, which `locateFindings` converts to line and column. Pure; never throws.
 *
 * Cost: linear in the text of the specs. Source: docs/contract/spec-tool.md#lint-diagnostic; docs/decisions.md#s-11.
 */
export function lintSpecs(input: LintInput): LintReport {
  const { config, strays = [] } = input;
  const active = LINT_RULES.filter(({ name }) => !isRuleDisabled(config, name));
  const world = new LintWorld(input);
  const files = [
    ...input.unreadable.map((file) => reportUnreadableFile(file, active, config)),
    ...input.specs
      .map((spec) => checkSpec(spec, active, world))
      .map((file, at) => {
        return input.reportsClosedSpecs || isOpenSpec(input.specs[at]) ? file : removeAdvice(file);
      }),
  ];
  const others = isRuleDisabled(config, "parse") ? [] : strays.map((stray) => reportStrayEntry(stray, config));
  files.sort((a, b) => compareSpecIds(a.specId, b.specId));
  return createLintReport(files.length, [...files, ...others]);
}

/** Returns the spec id in a file's name, for a file that could not be read. */
export function parseFileId(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).replace(/\.md$/, "");
}

function checkSpec(spec: Spec, active: readonly Rule[], world: LintWorld): FileReport {
  const findings: UnlocatedFinding[] = [];
  const facts = new SpecFacts(spec);
  for (const { name, check } of active) {
    if (check === undefined) continue;
    for (const found of check(spec, world, facts)) {
      const line = found.bodyLine === undefined ? {} : { line: spec.bodyLine + found.bodyLine - 1 };
      findings.push({ ...createFinding(name, found, world.config), ...line, ...selectFindingPath(spec, found.path) });
    }
  }
  return { file: spec.file, specId: spec.id, findings };
}

function isOpenSpec(spec: Spec | undefined): boolean {
  return spec === undefined || !isDoneStatus(spec.status);
}

/** Keeps errors and findings about the output: advice about finished work is useless. */
function removeAdvice(file: FileReport): FileReport {
  return { ...file, findings: file.findings.filter(({ severity, rule }) => severity === "error" || rule === "output") };
}

const STRAY_MESSAGES: Readonly<Record<StrayEntry["kind"], readonly [message: string, suggestion: string]>> = {
  folder: ["a folder is not read", "Move its specs right into .planner/specs"],
  upper_case_ending: ["a file without the ending '.md' is not read", "Rename it to end with .md"],
};

function reportStrayEntry({ file, kind }: StrayEntry, config: PlannerConfig): FileReport {
  const [message, suggestion] = STRAY_MESSAGES[kind];
  const found = createFinding("parse", { severity: "warning", field: "file", message, suggestion }, config);
  return { file, specId: parseFileId(file), findings: [found] };
}

/** Returns the path of a field in the frontmatter; no path for an absent field, because it has no line. */
function selectFindingPath({ frontmatter }: Spec, path: FieldPath | undefined): { readonly path?: FieldPath } {
  return path !== undefined && Object.hasOwn(frontmatter, path[0] ?? "") ? { path } : {};
}

function reportUnreadableFile(unreadable: UnreadableFile, active: readonly Rule[], config: PlannerConfig): FileReport {
  const { file, line, column } = unreadable;
  const place = line === null ? {} : { line, ...(column === null ? {} : { column }) };
  const findings = active.flatMap(({ name, checkUnreadable }) =>
    [...(checkUnreadable?.(unreadable) ?? [])].map((found) => ({ ...createFinding(name, found, config), ...place })),
  );
  return { file, specId: parseFileId(file), findings };
}

function createFinding(
  rule: RuleName,
  { severity, field, message, allowed, suggestion }: RuleFinding,
  config: PlannerConfig,
): Finding {
  return {
    rule,
    severity: resolveSeverity(config, rule, severity),
    field,
    message,
    allowed: allowed ?? [],
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
