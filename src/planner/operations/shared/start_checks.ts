import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { PlannerContext } from "../../context.ts";
import { createProjectSource, lintProject } from "../../lint/lint_project.ts";
import type { Readiness } from "../../spec/readiness.ts";
import type { Spec } from "../../spec/spec.ts";
import { type AcceptableLine, buildProviderLine, omitAcceptedLines } from "../../work/acceptance.ts";
import { type Provider, selectProvider } from "../../work/providers.ts";
import type { SpecWorld } from "./world.ts";

/** Statuses from which work may begin. */
export const STARTABLE_STATUSES: readonly string[] = ["pending", "failed", "needs_attention", "blocked"];

/** Statuses from which a person may continue work, if no process works on the spec. */
export const RESUMABLE_STATUSES: readonly string[] = [...STARTABLE_STATUSES, "in_progress"];

/**
 * Returns whether work on a spec may begin although no person requested it: it is ready and was never tried. A spec
 * that failed, needs attention, was paused or taken over requires a person's decision.
 *
 * Source: docs/decisions.md#s-24.
 */
export function isReadyWithoutRequest(spec: Spec, readiness: Readiness): boolean {
  return spec.status === "pending" && readiness.isReady(spec);
}

/**
 * Rejects a spec that cannot be worked on because of its status, dependencies, approval or members.
 * @param sources statuses from which work may begin
 * @throws OperationError `failed_precondition` that names the obstacle
 */
export function refuseUnworkableSpec(
  spec: Spec,
  { readiness }: SpecWorld,
  sources: readonly string[] = STARTABLE_STATUSES,
): void {
  const throwPreconditionError = (message: string): never => {
    throw createPreconditionError(`Cannot start work on spec '${spec.id}': ${message}`);
  };
  if (!sources.includes(spec.status))
    throwPreconditionError(`expected ${STARTABLE_STATUSES.join(", ")}, status is ${spec.status}`);
  // Applies the test of planner_ready also to a spec with another status.
  if (readiness.isReady({ ...spec, status: "pending" })) return;
  const unmet = readiness.listUnmet(spec);
  if (unmet.length > 0) throwPreconditionError(`blocked by dependencies: ${unmet.join(", ")}`);
  if (spec.approval?.required === true && spec.approval.status !== "approved")
    throwPreconditionError("it is not approved");
  if (readiness.isUnclear(spec))
    throwPreconditionError(`lint finds what it must not start with: planner lint ${spec.id}`);
  throwPreconditionError("its own members, or what comes before it, are not done");
}

/** Rejects agent settings and `worktree.setup` commands that no person on this machine has accepted. */
async function refuseUnacceptedLines(
  { openAcceptance }: PlannerContext,
  lines: readonly AcceptableLine[],
  begin: string,
): Promise<void> {
  if (lines.length === 0) return;
  const waiting = omitAcceptedLines(await (await openAcceptance()).read(), lines);
  if (waiting.length === 0) return;
  // An agent's environment variables may be secrets, so only the agent's name is printed.
  const named = waiting.map(({ kind, text }) => (kind === "provider" ? text.split(":", 1)[0] : text)).join(", ");
  throw createPreconditionError(
    `${begin} not accepted on this machine: ${named}: "planner approve --commands" shows and accepts`,
  );
}

export function refuseUnacceptedSetup(context: PlannerContext, { worktree }: PlannerConfig): Promise<void> {
  const lines = (worktree.setup ?? []).map((text) => ({ kind: "setup" as const, text }));
  return refuseUnacceptedLines(context, lines, "worktree.setup names commands that are");
}

/** Rejects an agent that is not installed or has unaccepted settings. This does not count as a failure of the spec. */
export async function refuseMissingAgent(context: PlannerContext, provider: Provider, action: string): Promise<void> {
  const { program, env } = provider;
  const line = buildProviderLine(provider);
  await refuseUnacceptedLines(context, line === null ? [] : [line], `Cannot ${action}: the settings of this agent are`);
  const { agents } = await context.openRuns();
  if (agents.isInstalled(program, env)) return;
  throw createPreconditionError(`Cannot ${action}: ${describeMissingProgram(program)}`);
}

/**
 * Returns the reasons why no run can start: no worktree can be created (for example without a git repository), or the
 * configured agent's program is missing. Empty if a run can start, and for an unreadable configuration, which every
 * command reports.
 */
export async function findStartObstacles(context: PlannerContext): Promise<readonly string[]> {
  const [place, agent] = await Promise.all([findWorktreeObstacle(context), findMissingAgent(context)]);
  return [place, agent?.problem ?? null].filter((reason) => reason !== null);
}

/** Returns why no worktree can be created; null if one can, and for an unreadable configuration. */
export async function findWorktreeObstacle(context: PlannerContext): Promise<string | null> {
  const config = await readConfigOrNull(context);
  if (config === null) return null;
  const { worktrees } = await context.openRuns();
  const { branch_prefix: branchPrefix, main_branch: mainBranch } = config.defaults;
  const test = worktrees.requireCreatable({ branchPrefix, mainBranch, ...config.worktree }, null);
  return test.then(() => null, getErrorMessage);
}

/** Returns the configured agent if its program is missing or cannot be chosen, with the reason; else null. */
export async function findMissingAgent(
  context: PlannerContext,
): Promise<{ readonly name: string; readonly problem: string } | null> {
  const config = await readConfigOrNull(context);
  if (config === null) return null;
  const { agents } = await context.openRuns();
  const name = config.defaults.provider;
  try {
    const { program, env } = selectProvider(config, { model: null, task: "work" });
    return agents.isInstalled(program, env) ? null : { name, problem: describeMissingProgram(program) };
  } catch (error) {
    return { name, problem: getErrorMessage(error) };
  }
}

function readConfigOrNull(context: PlannerContext): Promise<PlannerConfig | null> {
  return context.readConfig().catch(() => null);
}

function getErrorMessage(error: unknown): string {
  if (error instanceof OperationError) return error.message;
  throw error;
}

function describeMissingProgram(program: string): string {
  return `"${program}" is not on PATH: install it, or name another agent under "defaults.provider" in .planner/config.md`;
}

/** Rejects a spec with lint errors, because they would mislead an agent. */
export async function refuseLintErrors(context: PlannerContext, spec: Spec): Promise<void> {
  const report = await lintProject(await createProjectSource(context), { ids: [spec.id] });
  if (report.errors === 0) return;
  const found = report.files
    .flatMap(({ findings }) => findings)
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
  throw createPreconditionError(`Cannot start work on spec '${spec.id}': lint finds errors: ${found.join("; ")}`);
}
