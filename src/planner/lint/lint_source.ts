import { OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../config/config.ts";
import type { PlannerContext } from "../context.ts";
import { buildSpec } from "../spec/build_spec.ts";
import { parseDocument } from "../spec/document.ts";
import type { Spec, SpecSet, StrayEntry, UnreadableFile } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { judgeOutput, type OutputVerdict } from "../work/judge_output.ts";
import { parseFileId } from "./lint_specs.ts";

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
