import { OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../config/config.ts";
import type { PlannerContext } from "../context.ts";
import { buildSpec, parseDocument } from "../spec/document.ts";
import { createFrontmatterLocator, type FieldPath, type TextLocation } from "../spec/full_frontmatter.ts";
import type { Spec, SpecSet, StrayEntry, UnreadableFile } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { splitText } from "../spec/split_text.ts";
import { judgeOutput, type OutputVerdict } from "../work/judge_output.ts";
import { type FileReport, type Finding, isRuleDisabled, type LintReport } from "./finding.ts";
import { lintSpecs, parseFileId, type UnlocatedFinding } from "./lint_specs.ts";

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

/** Source from which lint reads a project: its files, git's index, or texts as a fix would leave them. */
export interface LintSource {
  readonly config: PlannerConfig;
  /** Ids of the active specs, sorted. */
  readonly ids: readonly SpecId[];
  readonly archivedIds: ReadonlySet<string>;
  /** Entries of the specs folder that planner does not read. Absent if the source cannot list them. */
  readonly strays?: readonly StrayEntry[];
  /** Returns every active spec. */
  loadAll(): Promise<SpecSet>;
  /** Returns one active spec. */
  loadSpec(id: SpecId): Promise<Spec | UnreadableFile>;
  /** Returns the text of an active spec that parses. */
  text(id: SpecId): Promise<string>;
  /** Compares a completed spec's output with its schema; null if the spec has no output to compare. */
  checkOutput(spec: Spec): Promise<OutputVerdict | null>;
}

/** Creates a source that reads the project's own files. */
export async function createProjectSource(context: PlannerContext): Promise<LintSource> {
  const { specs } = context;
  const [config, ids, archivedIds, strays] = await Promise.all([
    context.readConfig(),
    specs.listIds(),
    specs.listArchivedIds(),
    specs.listStrays(),
  ]);
  return {
    config,
    ids,
    archivedIds,
    strays,
    loadAll: () => specs.readActive(),
    async loadSpec(id) {
      try {
        const { file, text } = await specs.readText(id);
        return parseSpec(id, file, text);
      } catch (error) {
        if (!(error instanceof OperationError)) throw error;
        const { unreadable } = await specs.readActive();
        const known = unreadable.find(({ file }) => parseFileId(file) === id);
        if (known === undefined) throw error;
        return known;
      }
    },
    text: async (id) => (await specs.readText(id)).text,
    checkOutput: (spec) => checkSpecOutput(context, spec),
  };
}

/** Parses one active spec's text. */
export function parseSpec(id: SpecId, file: string, text: string): Spec | UnreadableFile {
  const document = parseDocument(text);
  return document.ok ? buildSpec({ id, file, archived: false }, document) : { file, ...document.problem };
}

/** Validates a spec's output. Reports an unusable schema even if there is no output. */
export async function checkSpecOutput(context: PlannerContext, spec: Spec): Promise<OutputVerdict | null> {
  if (spec.outputSchema === null) return null;
  const verdict = await judgeOutput(context, spec);
  if (verdict !== null) return verdict;
  const schema = await context.outputs.validateOutput(spec.outputSchema, "null");
  return schema.kind === "invalid_schema" ? schema : null;
}
