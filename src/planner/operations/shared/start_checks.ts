import { OperationError } from "#kernel/errors.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { PlannerContext } from "../../context.ts";
import { lintProject } from "../../lint/lint_project.ts";
import { createProjectSource } from "../../lint/lint_source.ts";
import type { Readiness } from "../../spec/readiness.ts";
import type { Spec } from "../../spec/spec.ts";
import { type CommandLine, providerLine, withoutAccepted } from "../../work/acceptance.ts";
import { type Provider, providerFor } from "../../work/providers.ts";
import type { World } from "./world.ts";

/** Statuses from which work may begin. */
export const STARTABLE: readonly string[] = ["pending", "failed", "needs_attention", "blocked"];

/** Statuses from which a person may go on as well, when nothing works on the spec. */
export const RESUMABLE: readonly string[] = [...STARTABLE, "in_progress"];

/**
 * Returns whether work on a spec may begin although no caller named it: it is ready and was never tried. What failed, needs
 * attention, was paused or taken over is a person's to decide.
 *
 * Source: docs/decisions.md#s-24.
 */
export function isReadyUnasked(spec: Spec, readiness: Readiness): boolean {
  return spec.status === "pending" && readiness.isReady(spec);
}

/**
 * Throws if a spec cannot be worked now because of its status, dependencies, approval or members.
 *
 * @param sources statuses that work may begin from
 * @throws OperationError `failed_precondition` that names the obstacle
 */
export function refuseUnworkable(spec: Spec, { readiness }: World, sources: readonly string[] = STARTABLE): void {
  const refuse = (message: string): never => {
    throw new OperationError("failed_precondition", `Cannot start work on spec '${spec.id}': ${message}`);
  };
  if (!sources.includes(spec.status)) refuse(`expected ${STARTABLE.join(", ")}, status is ${spec.status}`);
  // The same answer as planner_ready gives, for a spec that comes back from another status as well.
  if (readiness.isReady({ ...spec, status: "pending" })) return;
  const unmet = readiness.unmet(spec);
  if (unmet.length > 0) refuse(`blocked by dependencies: ${unmet.join(", ")}`);
  if (spec.approval?.required === true && spec.approval.status !== "approved") refuse("it is not approved");
  refuse("its own members, or what comes before it, are not done");
}

/** Refuses settings of an agent, or commands of `worktree.setup`, that no person of this machine has accepted. */
async function refuseUnaccepted(
  { accepted }: PlannerContext,
  lines: readonly CommandLine[],
  begin: string,
): Promise<void> {
  if (lines.length === 0) return;
  const waiting = withoutAccepted(await (await accepted()).read(), lines);
  if (waiting.length === 0) return;
  // The variables of an agent may be secrets.
  const named = waiting.map(({ kind, text }) => (kind === "provider" ? text.split(":", 1)[0] : text)).join(", ");
  throw new OperationError(
    "failed_precondition",
    `${begin} not accepted on this machine: ${named}: "planner approve --commands" shows and accepts`,
  );
}

export function refuseUnacceptedSetup(context: PlannerContext, { worktree }: PlannerConfig): Promise<void> {
  const lines = (worktree.setup ?? []).map((text) => ({ kind: "setup" as const, text }));
  return refuseUnaccepted(context, lines, "worktree.setup names commands that are");
}

/** Refuses an agent that is not installed, or not accepted as it is configured: that is no fault of a spec's. */
export async function refuseMissingAgent(context: PlannerContext, provider: Provider, action: string): Promise<void> {
  const { program, env } = provider;
  const line = providerLine(provider);
  await refuseUnaccepted(context, line === null ? [] : [line], `Cannot ${action}: the settings of this agent are`);
  const { agents } = await context.runs();
  if (agents.isThere(program, env)) return;
  throw new OperationError("failed_precondition", `Cannot ${action}: ${describeMissingProgram(program)}`);
}

/**
 * Why no run can start: no worktree can be made, as without a git repository, or the configured agent's settings are
 * refused or its program is missing. Empty if one can, and for settings that cannot be read, which every command reports.
 */
export async function findStartTroubles(context: PlannerContext): Promise<readonly string[]> {
  const config = await context.config().catch(() => null);
  if (config === null) return [];
  const { agents, worktrees } = await context.runs();
  const { branch_prefix: branchPrefix, main_branch: mainBranch } = config.defaults;
  const tries = [
    () => worktrees.check({ branchPrefix, mainBranch, base: config.worktree.base }, null),
    async () => {
      const { program, env } = providerFor(config, { model: null, task: "work" });
      if (!agents.isThere(program, env))
        throw new OperationError("failed_precondition", describeMissingProgram(program));
    },
  ];
  const found = await Promise.all(tries.map((attempt) => attempt().then(() => null, reasonOf)));
  return found.filter((reason) => reason !== null);
}

function reasonOf(error: unknown): string {
  if (error instanceof OperationError) return error.message;
  throw error;
}

function describeMissingProgram(program: string): string {
  return `"${program}" is not on PATH: install it, or name another agent under "defaults.provider" in .planner/config.md`;
}

/** Refuses a spec in which lint finds errors: an agent would be led astray by it. */
export async function refuseLintErrors(context: PlannerContext, spec: Spec): Promise<void> {
  const report = await lintProject(await createProjectSource(context), { ids: [spec.id] });
  if (report.errors === 0) return;
  const found = report.files
    .flatMap(({ findings }) => findings)
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
  throw new OperationError(
    "failed_precondition",
    `Cannot start work on spec '${spec.id}': lint finds errors: ${found.join("; ")}`,
  );
}
