import { OperationError } from "#kernel/errors.ts";
import type { OutputVerdict } from "../ports.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { LintReport } from "./finding.ts";
import type { LintSource } from "./lint_source.ts";
import { lintSpecs } from "./lint_specs.ts";
import { placeFindings } from "./place_findings.ts";
import { isOff } from "./rule_severity.ts";

/** Which specs are judged, and how fully. */
export interface LintChoice {
  /** Ids of active specs; every active spec if left out. */
  readonly ids?: readonly SpecId[] | undefined;
  /** Every finding of completed and cancelled specs too. Specs that `ids` names are judged fully anyway. */
  readonly all?: boolean;
}

/**
 * Loads the input of the rules, runs them and adds line numbers to their findings.
 *
 * Cost: reads the judged specs and those that they reach over `depends_on`, and the last log of completed specs that name
 * an `output_schema`.
 */
export async function lintProject(source: LintSource, choice: LintChoice = {}): Promise<LintReport> {
  const { ids: wanted, all = false } = choice;
  const { specs, unreadable, neighbours } =
    wanted === undefined ? await everything(source) : await some(source, wanted);
  const report = lintSpecs({
    config: source.config,
    specs,
    unreadable,
    neighbours,
    knownIds: new Set<string>([...source.ids, ...source.archivedIds]),
    outputs: await outputsOf(source, specs),
    judgesClosed: all || wanted !== undefined,
    ...(wanted === undefined && source.strays !== undefined ? { strays: source.strays } : {}),
  });
  return placeFindings(report, async ({ specId }) => {
    try {
      return await source.text(specId as SpecId);
    } catch (error) {
      // A file that went away meanwhile keeps its findings; they lose only their lines.
      if (error instanceof OperationError) return "";
      throw error;
    }
  });
}

interface Gathered {
  readonly specs: readonly Spec[];
  readonly unreadable: readonly UnreadableFile[];
  readonly neighbours: readonly Spec[];
}

async function everything(source: LintSource): Promise<Gathered> {
  return { ...(await source.all()), neighbours: [] };
}

async function some(source: LintSource, wanted: readonly SpecId[]): Promise<Gathered> {
  const judged = new Set<SpecId>(wanted);
  const found: Gathered & { specs: Spec[]; unreadable: UnreadableFile[]; neighbours: Spec[] } = {
    specs: [],
    unreadable: [],
    neighbours: [],
  };
  const active = new Set<string>(source.ids);
  // A Set iterates over what is added meanwhile, so `reached` is also the queue.
  const reached = new Set<SpecId>(judged);
  for (const id of reached) {
    const spec = await source.one(id);
    if (!("id" in spec)) {
      if (judged.has(id)) found.unreadable.push(spec);
      continue;
    }
    (judged.has(id) ? found.specs : found.neighbours).push(spec);
    for (const next of spec.dependsOn) if (active.has(next)) reached.add(next as SpecId);
  }
  return found;
}

async function outputsOf(source: LintSource, specs: readonly Spec[]): Promise<ReadonlyMap<SpecId, OutputVerdict>> {
  const verdicts = new Map<SpecId, OutputVerdict>();
  if (isOff(source.config, "output")) return verdicts;
  for (const spec of specs) {
    if (spec.status !== "completed" || spec.outputSchema === null) continue;
    const verdict = await source.output(spec);
    if (verdict !== null) verdicts.set(spec.id, verdict);
  }
  return verdicts;
}
