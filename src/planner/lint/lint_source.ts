import { OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../config/config.ts";
import type { PlannerContext } from "../context.ts";
import type { OutputVerdict, SpecSet, StrayEntry } from "../ports.ts";
import { buildSpec } from "../spec/build_spec.ts";
import { parseDocument } from "../spec/document.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { judgeOutput } from "../work/judge_output.ts";
import { idOfFile } from "./lint_specs.ts";

/** Where lint reads a project from: its files, git's index, or files as a fix would leave them. */
export interface LintSource {
  readonly config: PlannerConfig;
  /** Ids of the active specs, sorted. */
  readonly ids: readonly SpecId[];
  readonly archivedIds: ReadonlySet<string>;
  /** Entries of the specs folder that are not read. Absent if the source cannot list them. */
  readonly strays?: readonly StrayEntry[];
  /** Every active spec. */
  all(): Promise<SpecSet>;
  /** One active spec. */
  one(id: SpecId): Promise<Spec | UnreadableFile>;
  /** The text of an active spec that parses. */
  text(id: SpecId): Promise<string>;
  /** What comparing a completed spec's output with its schema found; null where there is no output to compare. */
  output(spec: Spec): Promise<OutputVerdict | null>;
}

/** Reads a project's own files. */
export async function projectSource(context: PlannerContext): Promise<LintSource> {
  const { specs } = context;
  const [config, ids, archivedIds, strays] = await Promise.all([
    context.config(),
    specs.ids(),
    specs.archivedIds(),
    specs.strays(),
  ]);
  return {
    config,
    ids,
    archivedIds,
    strays,
    all: () => specs.active(),
    async one(id) {
      try {
        const { file, text } = await specs.readText(id);
        return specFromText(id, file, text);
      } catch (error) {
        if (!(error instanceof OperationError)) throw error;
        const { unreadable } = await specs.active();
        const known = unreadable.find(({ file }) => idOfFile(file) === id);
        if (known === undefined) throw error;
        return known;
      }
    },
    text: async (id) => (await specs.readText(id)).text,
    output: (spec) => outputVerdict(context, spec),
  };
}

/** Parses one active spec's text. */
export function specFromText(id: SpecId, file: string, text: string): Spec | UnreadableFile {
  const document = parseDocument(text);
  return document.ok ? buildSpec({ id, file, archived: false }, document) : { file, ...document.problem };
}

/** Validates a spec's output. Without an output, an unusable schema is still reported. */
export async function outputVerdict(context: PlannerContext, spec: Spec): Promise<OutputVerdict | null> {
  if (spec.outputSchema === null) return null;
  const verdict = await judgeOutput(context, spec);
  if (verdict !== null) return verdict;
  const schema = await context.outputs.validate(spec.outputSchema, "null");
  return schema.kind === "invalid_schema" ? schema : null;
}
