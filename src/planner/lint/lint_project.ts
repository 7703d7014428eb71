import { OperationError } from "#kernel/errors.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import { createFrontmatterLocator, type FieldPath, type TextLocation } from "../spec/full_frontmatter.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { splitText } from "../spec/split_text.ts";
import { type FileReport, type Finding, isRuleDisabled, type LintReport } from "./finding.ts";
import type { LintSource } from "./lint_source.ts";
import { lintSpecs, type UnlocatedFinding } from "./lint_specs.ts";

export interface LintSelection {
  /** Ids of the active specs to check; all active specs if absent. */
  readonly ids?: readonly SpecId[] | undefined;
  /** True to report all findings of completed and cancelled specs too. Specs in `ids` always get all findings. */
  readonly all?: boolean;
}

/**
 * Loads the input of the rules, runs them and adds line numbers to their findings.
 *
 * Cost: reads the checked specs and their transitive `depends_on`, and the last log of completed specs that name an
 * `output_schema`.
 */
export async function lintProject(source: LintSource, choice: LintSelection = {}): Promise<LintReport> {
  const { ids: wanted, all = false } = choice;
  const { specs, unreadable, neighbours } =
    wanted === undefined ? await loadAllSpecs(source) : await loadSelectedSpecs(source, wanted);
  const report = lintSpecs({
    config: source.config,
    specs,
    unreadable,
    neighbours,
    knownIds: new Set<string>([...source.ids, ...source.archivedIds]),
    outputs: await checkOutputs(source, specs),
    reportsClosedSpecs: all || wanted !== undefined,
    ...(wanted === undefined && source.strays !== undefined ? { strays: source.strays } : {}),
  });
  return locateFindings(report, async ({ specId }) => {
    try {
      return await source.text(specId as SpecId);
    } catch (error) {
      // If the file was removed meanwhile, its findings stay without lines.
      if (error instanceof OperationError) return "";
      throw error;
    }
  });
}

interface LoadedSpecs {
  readonly specs: readonly Spec[];
  readonly unreadable: readonly UnreadableFile[];
  readonly neighbours: readonly Spec[];
}

async function loadAllSpecs(source: LintSource): Promise<LoadedSpecs> {
  return { ...(await source.loadAll()), neighbours: [] };
}

async function loadSelectedSpecs(source: LintSource, wanted: readonly SpecId[]): Promise<LoadedSpecs> {
  const judged = new Set<SpecId>(wanted);
  const found: LoadedSpecs & { specs: Spec[]; unreadable: UnreadableFile[]; neighbours: Spec[] } = {
    specs: [],
    unreadable: [],
    neighbours: [],
  };
  const active = new Set<string>(source.ids);
  // A Set iterates over items added during the loop, so `reached` is also the queue.
  const reached = new Set<SpecId>(judged);
  for (const id of reached) {
    const spec = await source.loadSpec(id);
    if (!("id" in spec)) {
      if (judged.has(id)) found.unreadable.push(spec);
      continue;
    }
    (judged.has(id) ? found.specs : found.neighbours).push(spec);
    for (const next of spec.dependsOn) if (active.has(next)) reached.add(next as SpecId);
  }
  return found;
}

async function checkOutputs(source: LintSource, specs: readonly Spec[]): Promise<ReadonlyMap<SpecId, OutputVerdict>> {
  const verdicts = new Map<SpecId, OutputVerdict>();
  if (isRuleDisabled(source.config, "output")) return verdicts;
  for (const spec of specs) {
    if (spec.status !== "completed" || spec.outputSchema === null) continue;
    const verdict = await source.checkOutput(spec);
    if (verdict !== null) verdicts.set(spec.id, verdict);
  }
  return verdicts;
}

/**
 * Adds line and column to every finding about a frontmatter value.
 *
 * @param readText returns the text of a checked file; called only for files with such findings
 *
 * Cost: one read of each of those files, and a YAML parse if the value is nested or not written plainly.
 */
export async function locateFindings(
  report: LintReport,
  readText: (file: FileReport) => Promise<string>,
): Promise<LintReport> {
  const files: FileReport[] = [];
  for (const file of report.files) {
    const findings: readonly UnlocatedFinding[] = file.findings;
    const unplaced = findings.some(({ path }) => path !== undefined);
    files.push(unplaced ? { ...file, findings: addLocations(findings, await readText(file)) } : file);
  }
  return { ...report, files };
}

function addLocations(findings: readonly UnlocatedFinding[], text: string): readonly Finding[] {
  const exact = createFrontmatterLocator(text);
  return findings.map(({ path, ...finding }) => {
    const place = path === undefined ? undefined : (findPlainValue(text, path) ?? exact(path));
    return { ...finding, ...place };
  });
}

/**
 * Returns the location of a top-level value that is written plainly after its key, without parsing YAML. Most findings
 * concern plain values, and parsing thousands of files again would take longer than all the rules.
 */
function findPlainValue(text: string, path: FieldPath): TextLocation | undefined {
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
