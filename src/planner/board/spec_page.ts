import { type TObject, Type } from "@sinclair/typebox";
import { micromark } from "micromark";
import { OperationError } from "#kernel/errors.ts";
import { defineTool, type ToolDefinition } from "#kernel/tool.ts";
import type { SpecStore } from "#planner/store/specs/spec_store.ts";
import { type KeptRunRecord, parseRunRecord } from "#planner/work/records/read_record.ts";
import type { PlannerContext } from "../context.ts";
import { addCommand } from "../operations/add.ts";
import { checkCriterion } from "../operations/check_criterion.ts";
import { diagnoseTool } from "../operations/diagnose.ts";
import { finalizeTool } from "../operations/finalize.ts";
import { lintTool } from "../operations/lint.ts";
import { findSpec, findSpecId } from "../operations/shared/find_spec.ts";
import { specIdParam } from "../operations/shared/params.ts";
import { readWorktreeBody } from "../operations/shared/spec_proof.ts";
import { loadSpecWorld } from "../operations/shared/world.ts";
import { updateCommand } from "../operations/spec_update.ts";
import { archive, cancel, pause, reset, takeover } from "../operations/state.ts";
import { workCommand } from "../operations/work.ts";
import { runTool } from "../service.ts";
import { formatCriterionText, readCriteria } from "../spec/criteria.ts";
import { listMemberIds, type Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { isLineAccepted } from "../work/acceptance.ts";
import { buildReviewedCriteria } from "../work/reviewed_criteria.ts";
import { countTokens } from "../work/usage.ts";
import type { BranchDifference, NamedSpec, SpecPage, SpecPageCriterion, SpecPageRun } from "./wire.ts";

/** Maximum number of runs on a page, the latest first. */
const MAX_RUNS = 20;

/**
 * Reads everything about one spec, active or archived.
 * @param computeDigest computes the digest of a file's text
 * @throws OperationError `not_found`, or `failed_precondition` for a file that cannot be read
 */
export async function readSpecPage(
  context: PlannerContext,
  text: string,
  computeDigest: (text: string) => string,
): Promise<SpecPage> {
  const spec = await findSpec(context, text, { archived: true });
  const { id, archived, title, type, labels, priority, due, assignee, body } = spec;
  const file = await context.specs.readText(id);
  const ports = await context.openRuns();
  const [links, runs, kept, worktree, difference, log, diagnosis, there] = await Promise.all([
    readSpecLinks(context, spec),
    readSpecRuns(context, id),
    readValueOrNull(() => ports.worktrees.readRecord(id, null)),
    readValueOrNull(() => ports.worktrees.findWorktree(id)),
    readValueOrNull(() => readDifference(context, id)),
    readValueOrNull(() => context.projectLogs.open(id)),
    readValueOrNull(async () => (await runTool(context, diagnoseTool, { id })).value),
    readValueOrNull(() => (spec.archived ? null : readWorktreeBody(context, id))),
  ]);
  return {
    ...{ id, file: file.file, archived, title, type, labels, priority, due, assignee, body },
    // micromark leaves out raw HTML and links with a scheme that could run code by default.
    html: micromark(body),
    seen: computeDigest(file.text),
    dropped: readCriteria(there ?? body).dropped.map(({ label, reason }) => ({ label, reason })),
    criteria: await readReviewedCriteria(context, { id, body: there ?? body, kept, head: difference?.head ?? null }),
    ...links,
    runs,
    record: kept === null ? null : parseRunRecord(kept),
    worktree: worktree === null ? null : { path: worktree.path, branch: worktree.branch },
    difference,
    has_log: log !== null,
    diagnosis: diagnosis === null ? null : { text: diagnosis.diagnosis, suggestion: diagnosis.suggestion },
  };
}

async function readSpecLinks(
  context: PlannerContext,
  spec: Spec,
): Promise<Pick<SpecPage, "status" | "depends_on" | "dependents" | "members">> {
  const { specs, readiness } = await loadSpecWorld(context);
  const byId = new Map<string, Spec>(specs.map((one) => [one.id, one]));
  const archived: ReadonlySet<string> = await context.specs.listArchivedIds();
  const findNamedSpec = (id: string): NamedSpec => {
    const found = byId.get(id);
    if (found !== undefined) return { id, title: found.title, status: readiness.getEffectiveStatus(found) };
    return { id, title: null, status: archived.has(id) ? "archived" : null };
  };
  return {
    status: spec.archived ? spec.status : readiness.getEffectiveStatus(spec),
    depends_on: spec.dependsOn.map(findNamedSpec),
    dependents: specs.filter(({ dependsOn }) => dependsOn.includes(spec.id)).map(({ id }) => findNamedSpec(id)),
    members: listMemberIds(spec, specs).map(findNamedSpec),
  };
}

async function readSpecRuns(context: PlannerContext, id: SpecId): Promise<readonly SpecPageRun[]> {
  const [processes, reports] = await Promise.all([context.work.readProcesses(), context.readRunReports()]);
  const reported = new Map(reports.map((report) => [report.process_id, report]));
  return processes
    .filter(({ spec_id }) => spec_id === id)
    .slice(-MAX_RUNS)
    .reverse()
    .map((record) => {
      const { process_id, mode, status, started_at, completed_at } = record;
      const report = reported.get(process_id);
      return {
        ...{ process_id, mode, status, started_at, completed_at },
        error: record.status === "running" ? null : (record.error ?? null),
        agent: report?.agent ?? null,
        tokens: report?.usage == null ? null : countTokens(report.usage),
        cost_usd: report?.usage?.cost_usd ?? null,
      };
    });
}

/** Reads the changes of a spec's branch; null without a branch, and for a branch that git cannot compare. */
async function readDifference(context: PlannerContext, id: SpecId): Promise<BranchDifference | null> {
  const found = await (await context.openRuns()).differences.readBranchDifference(id);
  if (found === null) return null;
  const { from, to, head, behind, conflicts, commits, files } = found;
  return { from, to, head, behind, conflicts, files, commits: commits.map(({ hash, subject }) => ({ hash, subject })) };
}

interface CriteriaSource {
  readonly id: SpecId;
  readonly body: string;
  readonly kept: KeptRunRecord | null;
  readonly head: string | null;
}

async function readReviewedCriteria(
  context: PlannerContext,
  { kept, head, ...spec }: CriteriaSource,
): Promise<readonly SpecPageCriterion[]> {
  const accepted = await (await context.openAcceptance()).read();
  return buildReviewedCriteria(spec, kept, head).map(({ number, checked, verify, mark, explanation, ...one }) => ({
    ...{ number, label: formatCriterionText(one), checked, verify, mark, explanation },
    accepted: verify !== null && isLineAccepted(accepted, { kind: "check", text: verify }),
    result: one.result === null ? null : { at: one.result.at, last_lines: one.result.last_lines },
  }));
}

/** Returns null if `read` fails with an OperationError, so that one unreadable part does not hide the others. */
async function readValueOrNull<Value>(read: () => Promise<Value | null> | null): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}

const { unproven: _, steal: _steal, offline: _offline, ...updateParams } = updateCommand.params.properties;

/** Changes fields, text and status; only a terminal can complete without evidence or take over from another clone. */
const updateTool = defineTool<PlannerContext>()({ ...updateCommand, params: Type.Object(updateParams) });

/** Checks or unchecks one criterion, as the command `check`. */
const checkTool = defineTool<PlannerContext>()({
  name: "check",
  summary: "Check or uncheck one criterion",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam, criterion: Type.Integer({ minimum: 1 }), checked: Type.Boolean() }),
  async run(context, { id: text, criterion, checked }) {
    const id = await findSpecId(context, text, { archived: false });
    const done = await checkCriterion(context, { id, wanted: String(criterion), checked });
    return { value: done, text: `${checked ? "Checked" : "Unchecked"} criterion ${criterion} of spec: ${id}` };
  },
});

interface BoardTool {
  readonly tool: ToolDefinition<PlannerContext, TObject, unknown>;
  /** True if the tool changes the spec's file; the page must then have shown the file's current text. */
  readonly isWrite: boolean;
}

/** Tools of the board except the acceptance of work, by the name of the matching command. */
export const BOARD_TOOLS: ReadonlyMap<string, BoardTool> = new Map<string, BoardTool>([
  ["add", { tool: addCommand, isWrite: false }],
  ["update", { tool: updateTool, isWrite: true }],
  ["check", { tool: checkTool, isWrite: true }],
  ["finalize", { tool: finalizeTool, isWrite: true }],
  ["reset", { tool: reset, isWrite: true }],
  ["cancel", { tool: cancel, isWrite: true }],
  ["archive", { tool: archive, isWrite: true }],
  ["work", { tool: workCommand, isWrite: false }],
  ["pause", { tool: pause, isWrite: false }],
  ["takeover", { tool: takeover, isWrite: false }],
  ["lint", { tool: lintTool, isWrite: false }],
]);

/**
 * Wraps a store so that the first change of a spec fails if its file is no longer the text that the person has seen.
 * The comparison is part of the atomic edit, so no other writer can change the file in between. Later changes by the
 * same operation are not compared, because they find the operation's own text.
 * @param isSeen returns whether a file's text is the text that was seen
 */
export function guardSeenText(store: SpecStore, id: SpecId, isSeen: (text: string) => boolean): SpecStore {
  let isFirst = true;
  const assertSeen = (text: string): void => {
    if (isFirst && !isSeen(text)) throw createChangedError(id);
  };
  const edit: SpecStore["edit"] = async (one, change) => {
    const changed = await store.edit(one, (text) => {
      if (one === id) assertSeen(text);
      return change(text);
    });
    if (one === id) isFirst = false;
    return changed;
  };
  return new Proxy(store, {
    get: (_, name) => {
      const member: unknown = name === "edit" ? edit : Reflect.get(store, name);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
}

/** Returns the error for a change to a spec whose file differs from the text that the person saw. */
export function createChangedError(id: string): OperationError {
  return new OperationError(
    "aborted",
    `Spec '${id}' was changed after you saw it: look at the new state, then try again`,
  );
}
