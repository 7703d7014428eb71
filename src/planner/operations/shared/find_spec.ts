import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { isDoneStatus, listOrigins, type Spec } from "../../spec/spec.ts";
import { AmbiguousSpecId, resolveSpecId, type SpecId } from "../../spec/spec_id.ts";
import { formatLocalDay } from "./live_worker.ts";

/** Options of a search. `archived` allows archived specs: true for tools that read, false for tools that change. */
export interface FindSpecOptions {
  readonly archived: boolean;
}

/**
 * Resolves `text` to a full id: a whole id of any spec, else today's counter if no other unfinished spec has it, else a
 * part of an active spec's id, else a part of an archived one's, else the id of the task that a spec was imported from. Thus a part refers to the same spec in tools that read
 * and in tools that change.
 *
 * @throws OperationError `not_found`, `invalid_argument` if the text is empty or matches several specs,
 * `failed_precondition` if it matches an archived spec that is to be changed
 *
 * Source: docs/decisions.md#s-04.
 */
export async function findSpecId(context: PlannerContext, text: string, options: FindSpecOptions): Promise<SpecId> {
  const wanted = text.trim();
  const active = await context.specs.listIds();
  const exact = active.find((id) => id === wanted);
  if (exact !== undefined) return exact;
  const archived = [...(await context.specs.listArchivedIds())];
  const today = formatLocalDay(context.clock.now());
  const found =
    archived.find((id) => id === wanted) ??
    (await resolveIdOrOrigin(context, wanted, (isOpen) => resolveId(active, archived, wanted, today, isOpen)));
  if (!options.archived && archived.includes(found) && !active.includes(found)) {
    throw createPreconditionError(`Spec '${found}' is archived: only active specs can be changed`);
  }
  return found;
}

/** Resolves `texts` to full ids, each once. @throws OperationError as `findSpecId` */
export async function findSpecIds(
  context: PlannerContext,
  texts: readonly string[],
  options: FindSpecOptions,
): Promise<readonly SpecId[]> {
  const found = new Set<SpecId>();
  for (const text of texts) found.add(await findSpecId(context, text, options));
  return [...found];
}

/** Runs `resolve`. If no id matches, searches the specs' origins. Adds titles to the error for an ambiguous text. */
async function resolveIdOrOrigin(
  context: PlannerContext,
  text: string,
  resolve: (isOpen?: (id: SpecId) => boolean) => SpecId,
): Promise<SpecId> {
  try {
    try {
      return resolve();
    } catch (error) {
      if (!(error instanceof AmbiguousSpecId)) throw error;
      // Only a text that may mean several specs requires reading which of them are finished.
      const { specs } = await context.specs.readActive();
      const finished = new Set(specs.flatMap(({ id, status }) => (isDoneStatus(status) ? [id] : [])));
      return resolve((id) => !finished.has(id));
    }
  } catch (error) {
    if (error instanceof OperationError && error.kind === "not_found") return findSpecByOrigin(context, text, error);
    if (!(error instanceof AmbiguousSpecId)) throw error;
    const lines = await Promise.all(error.namedIds.map(async (id) => `${id}: ${await readSpecTitle(context, id)}`));
    throw new OperationError(error.kind, [error.message, ...lines].join("\n"), { cause: error });
  }
}

/**
 * Finds the spec that was imported from the task with this id: `BACK-12`, or `backlog:BACK-12`.
 *
 * @throws `absent` unless exactly one spec matches
 */
async function findSpecByOrigin(context: PlannerContext, text: string, absent: OperationError): Promise<SpecId> {
  const wanted = text.toLowerCase();
  const matchesText = (origin: string): boolean => {
    const name = origin.toLowerCase();
    return name === wanted || name.slice(name.indexOf(":") + 1) === wanted;
  };
  const [active, archived] = [await context.specs.readActive(), await context.specs.readArchived()];
  const [found, other] = [...active.specs, ...archived.specs].filter((spec) => listOrigins(spec).some(matchesText));
  if (found === undefined || other !== undefined) throw absent;
  return found.id;
}

async function readSpecTitle(context: PlannerContext, id: SpecId): Promise<string> {
  try {
    return (await context.specs.load(id)).title ?? "(no title)";
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return "(cannot be read)";
  }
}

function resolveId(
  active: readonly SpecId[],
  archived: readonly SpecId[],
  text: string,
  today: string,
  isOpen?: (id: SpecId) => boolean,
): SpecId {
  try {
    return resolveSpecId(text, active, today, isOpen);
  } catch (error) {
    const absent = error instanceof OperationError && error.kind === "not_found";
    if (!absent || archived.length === 0) throw error;
    return resolveSpecId(text, archived, today);
  }
}

/** Reads the spec that `text` identifies. */
export async function findSpec(context: PlannerContext, text: string, options: FindSpecOptions): Promise<Spec> {
  return context.specs.load(await findSpecId(context, text, options));
}
