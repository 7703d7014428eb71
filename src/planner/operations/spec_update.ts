import { type Static, Type } from "@sinclair/typebox";
import { createInvalidArgumentError, createPreconditionError, OperationError } from "#kernel/errors.ts";
import { createCriterionSchema, createEnumSchema, defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { parseReadable } from "../spec/document.ts";
import { appendOutput, keepChecks, replaceBody } from "../spec/edit/edit_body.ts";
import { editFields, type FieldValue } from "../spec/edit/edit_fields.ts";
import { PRIORITIES, type Spec, UPDATE_STATUSES } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { isLineAccepted } from "../work/acceptance.ts";
import { checkCriterionText, createCriterionEdit } from "./check_criterion.ts";
import { refuseForeignStatus } from "./shared/change_spec.ts";
import { findSpecId, findSpecIds } from "./shared/find_spec.ts";
import { finishSharedClaim } from "./shared/finish_shared.ts";
import { createTextsParam, refuseInvalidDueDay, sharedClaimParams, specIdParam } from "./shared/params.ts";
import {
  type CompletionRequest,
  proveCompletion,
  recordCompletion,
  serializeCriteria,
} from "./shared/prove_completion.ts";

const UPDATE_PARAMS = Type.Object({
  id: specIdParam,
  status: Type.Optional(createEnumSchema(UPDATE_STATUSES, "New status")),
  output: Type.Optional(Type.String({ description: "Text to append to the body under ## Output" })),
  replace_body: Type.Optional(Type.Boolean({ description: "Replace the body by output" })),
  depends_on: createTextsParam("All ids it waits for; [] for none"),
  labels: createTextsParam("All labels; [] for none"),
  target_files: createTextsParam("All target files; [] for none"),
  model: Type.Optional(Type.String({ description: "Model name; empty text removes it" })),
  check: Type.Optional(createCriterionSchema("Criterion: number or part of its text")),
});

export const specUpdateTool = defineTool<PlannerContext>()({
  name: "planner_spec_update",
  summary:
    "Change a spec's status, fields or body, or check one criterion; answers its id. To complete it with its checks use planner_finalize.",
  resultDescription:
    "`Updated spec: <id>`; all changes are one edit, `completed_at` stays. `replace_body` keeps the title heading when the text has none, and criteria with accepted checks. Refused: nothing given, another status, an unknown or circular dependency, `replace_body` without `output` or with `check`. A criterion that names a check (docs/work.md#checks), and the status `completed`, need it to succeed; otherwise nothing of the call is done.",
  effect: "destroy",
  idempotent: false,
  slow: ({ check, status }) => check !== undefined || status === "completed",
  params: UPDATE_PARAMS,
  run: (context, args, { signal } = {}) => updateSpec(context, args, signal),
});

/** The command `update`: the tool plus planning fields. The tool for agents keeps its documented parameters. */
export const updateCommand = defineTool<PlannerContext>()({
  ...specUpdateTool,
  name: "update",
  params: Type.Object({
    ...UPDATE_PARAMS.properties,
    priority: Type.Optional(Type.Union([...PRIORITIES.map((word) => Type.Literal(word)), Type.Literal("")])),
    assignee: Type.Optional(Type.String()),
    due: Type.Optional(Type.String()),
    unproven: Type.Optional(Type.String()),
    ...sharedClaimParams,
  }),
  run: (context, args, { signal } = {}) => updateSpec(context, args, signal),
});

/** Fields to change; an empty text removes a field. */
interface SpecChanges extends Static<typeof UPDATE_PARAMS> {
  readonly priority?: string;
  readonly assignee?: string;
  readonly due?: string;
  /** Reason why a person completes the spec without proof. */
  readonly unproven?: string;
  readonly steal?: boolean;
  readonly offline?: boolean;
}

async function updateSpec(context: PlannerContext, update: SpecChanges, signal: AbortSignal | undefined) {
  const { id: text, output = "", replace_body = false, depends_on, unproven = null, check, ...rest } = update;
  const { steal = false, offline = false, ...simpleChanges } = rest;
  const { due } = simpleChanges;
  const hasOutput = output.trim() !== "";
  refuseEmptyUpdate(hasOutput, [depends_on, check, ...Object.values(simpleChanges)]);
  if (due !== undefined && due !== "") refuseInvalidDueDay(due);
  if (replace_body && !hasOutput) {
    throw createInvalidArgumentError("Cannot replace the body: expected the new body in output");
  }
  if (replace_body && check !== undefined) {
    throw createInvalidArgumentError("Cannot check a criterion of a body that is replaced: expected two calls");
  }
  const id = await findSpecId(context, text, { archived: false });
  const dependsOn = depends_on === undefined ? undefined : await resolveDependencies(context, id, depends_on);
  const fields = listFieldChanges({ ...simpleChanges, depends_on: dependsOn });
  const editCriterion = await prepareCriterionEdit(context, id, { ...update, signal });
  const accepted = replace_body ? await (await context.openAcceptance()).read() : null;
  const changeText = (before: string): string => {
    const edited = editCriterion?.(editFields(before, fields)) ?? editFields(before, fields);
    refuseForeignStatus(context, id, { before, after: edited });
    if (accepted === null) return hasOutput ? appendOutput(edited, output) : edited;
    const stays = (command: string): boolean => isLineAccepted(accepted, { kind: "check", text: command });
    return keepChecks(replaceBody(edited, output), { own: before, restores: true, stays });
  };
  if (unproven !== null && simpleChanges.status !== "completed") {
    throw createInvalidArgumentError('Invalid unproven: expected it with the status "completed"');
  }
  const complete =
    simpleChanges.status === "completed"
      ? await prepareCompletion(context, { id, change: changeText, unproven, signal })
      : { change: changeText, done: null };
  const shared = { steal, offline, command: `update ${id} --status completed` };
  const notes = complete.done === null ? [] : await finishSharedClaim(context, await context.specs.load(id), shared);
  const changed = await context.specs.edit(id, complete.change);
  if (complete.done !== null)
    await recordCompletion(context, await context.specs.load(id), { ...complete.done, unproven });
  return {
    value: { spec_id: id, changed, ...(notes.length === 0 ? {} : { notes }) },
    text: [`Updated spec: ${id}`, ...notes].join("\n"),
  };
}

interface CriterionEditRequest extends Pick<SpecChanges, "check" | "status" | "unproven"> {
  readonly signal: AbortSignal | undefined;
}

/** Runs a criterion's check and returns the edit that checks it. Skips the check if completion runs all anyway. */
async function prepareCriterionEdit(
  context: PlannerContext,
  id: SpecId,
  { check, status, unproven, signal }: CriterionEditRequest,
): Promise<((text: string) => string) | undefined> {
  if (check === undefined) return undefined;
  if (status === "completed" && unproven === undefined) return (text) => checkCriterionText(id, text, check);
  return createCriterionEdit(context, id, { wanted: check, signal });
}

interface CompletionChange extends Pick<CompletionRequest, "id" | "unproven" | "signal"> {
  readonly change: (before: string) => string;
}

/** Extends `change` by the edits that completing the spec needs, after running the checks in the changed text. */
async function prepareCompletion(context: PlannerContext, { id, change, unproven, signal }: CompletionChange) {
  const readChanged = (text: string) => parseReadable(change(text));
  const { body, bodyLine } = readChanged((await context.specs.readText(id)).text);
  const done = await proveCompletion(context, { id, body, bodyLine, unproven, signal });
  const completeText = (before: string): string => {
    if (serializeCriteria(readChanged(before).body) !== serializeCriteria(body)) {
      throw new OperationError("aborted", `The criteria of spec '${id}' changed while its checks ran: try again`);
    }
    return editFields(change(before), done.fields);
  };
  return { change: completeText, done };
}

function refuseEmptyUpdate(hasOutput: boolean, fields: readonly unknown[]): void {
  if (hasOutput || fields.some((field) => field !== undefined)) return;
  throw createInvalidArgumentError(
    "No updates specified. Provide 'status', 'output', 'depends_on', 'labels', 'target_files', 'model' or 'check' parameter.",
  );
}

/** Returns the given fields; an empty text becomes undefined, which removes the key. */
function listFieldChanges(
  given: Readonly<Record<string, FieldValue | undefined>>,
): Record<string, FieldValue | undefined> {
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(fields)) if (value === "") fields[name] = undefined;
  return fields;
}

/** Resolves `wanted` to full ids, each once. @throws OperationError also for a circular dependency */
async function resolveDependencies(
  context: PlannerContext,
  id: SpecId,
  wanted: readonly string[],
): Promise<readonly SpecId[]> {
  const ids = await findSpecIds(context, wanted, { archived: true });
  const cycle = ids.length === 0 ? undefined : findDependencyCycle(id, ids, (await context.specs.readActive()).specs);
  if (cycle !== undefined) {
    throw createPreconditionError(`Circular dependency detected: ${cycle.join(" -> ")}`);
  }
  return ids;
}

/**
 * Returns the shortest cycle through `id` if it had these `dependencies`, such as `[a, b, a]`; undefined without one.
 * @param specs the specs whose own dependencies are followed
 *
 * Cost: O(specs + dependencies).
 */
export function findDependencyCycle(
  id: string,
  dependencies: readonly string[],
  specs: readonly Spec[],
): readonly string[] | undefined {
  const byId = new Map(specs.map((spec) => [spec.id as string, spec.dependsOn]));
  const cameFrom = new Map<string, string>();
  // The loop appends to the list that it walks. This is a breadth-first search, so the first path found is a shortest
  // one.
  const queue: string[] = [];
  const visitSpec = (next: string, from: string): boolean => {
    if (next === id) return true;
    if (!cameFrom.has(next)) {
      cameFrom.set(next, from);
      queue.push(next);
    }
    return false;
  };
  if (dependencies.some((next) => visitSpec(next, id))) return [id, id];
  for (const current of queue) {
    if ((byId.get(current) ?? []).some((next) => visitSpec(next, current)))
      return [...tracePath(current, cameFrom, id), id];
  }
  return undefined;
}

function tracePath(end: string, cameFrom: ReadonlyMap<string, string>, start: string): string[] {
  const path = [end];
  for (let at = end; at !== start; ) {
    at = cameFrom.get(at) ?? start;
    path.unshift(at);
  }
  return path;
}
