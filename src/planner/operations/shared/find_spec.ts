import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { AmbiguousSpecId, resolveSpecId } from "../../spec/resolve_id.ts";
import { originsOf, type Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { localDay } from "./local_time.ts";

/** Whether archived specs may be meant: yes for reading, no for changing. */
export interface FindOptions {
  readonly archived: boolean;
}

/**
 * Returns the full id that `text` means: a whole id wherever the spec lies, else a part of an active spec's id, else a
 * part of an archived one's, else the id of the task that a spec was imported from. So a part means the same spec to the
 * tools that read and to those that change.
 *
 * @throws OperationError `not_found`, `invalid_argument` when the text is empty or means several specs,
 *   `failed_precondition` when it means an archived spec that is to be changed
 *
 * Source: docs/decisions.md#s-04.
 */
export async function findSpecId(context: PlannerContext, text: string, options: FindOptions): Promise<SpecId> {
  const wanted = text.trim();
  const active = await context.specs.ids();
  const exact = active.find((id) => id === wanted);
  if (exact !== undefined) return exact;
  const archived = [...(await context.specs.archivedIds())];
  const today = localDay(context.clock.now());
  const found =
    archived.find((id) => id === wanted) ??
    (await withTitles(context, wanted, () => resolveAmong(active, archived, wanted, today)));
  if (!options.archived && archived.includes(found) && !active.includes(found)) {
    throw new OperationError("failed_precondition", `Spec '${found}' is archived: only active specs can be changed`);
  }
  return found;
}

/** Returns the full ids that `texts` mean, each once. @throws OperationError as `findSpecId` does */
export async function findSpecIds(
  context: PlannerContext,
  texts: readonly string[],
  options: FindOptions,
): Promise<readonly SpecId[]> {
  const found = new Set<SpecId>();
  for (const text of texts) found.add(await findSpecId(context, text, options));
  return [...found];
}

/** Adds the titles to the error for an ambiguous text, because people identify a spec by its title. */
async function withTitles(context: PlannerContext, text: string, resolve: () => SpecId): Promise<SpecId> {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof OperationError && error.kind === "not_found") return ofOrigin(context, text, error);
    if (!(error instanceof AmbiguousSpecId)) throw error;
    const lines = await Promise.all(error.named.map(async (id) => `${id}: ${await titleOf(context, id)}`));
    throw new OperationError(error.kind, [error.message, ...lines].join("\n"), { cause: error });
  }
}

/**
 * The spec that was imported from the task of this id at its source: `BACK-12`, or `backlog:BACK-12`.
 *
 * @throws `absent` unless exactly one spec is
 */
async function ofOrigin(context: PlannerContext, text: string, absent: OperationError): Promise<SpecId> {
  const wanted = text.toLowerCase();
  const isMeant = (origin: string): boolean => {
    const name = origin.toLowerCase();
    return name === wanted || name.slice(name.indexOf(":") + 1) === wanted;
  };
  const [active, archived] = [await context.specs.active(), await context.specs.archived()];
  const [found, other] = [...active.specs, ...archived.specs].filter((spec) => originsOf(spec).some(isMeant));
  if (found === undefined || other !== undefined) throw absent;
  return found.id;
}

async function titleOf(context: PlannerContext, id: SpecId): Promise<string> {
  try {
    return (await context.specs.load(id)).title ?? "(no title)";
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return "(cannot be read)";
  }
}

function resolveAmong(active: readonly SpecId[], archived: readonly SpecId[], text: string, today: string): SpecId {
  try {
    return resolveSpecId(text, active, today);
  } catch (error) {
    const absent = error instanceof OperationError && error.kind === "not_found";
    if (!absent || archived.length === 0) throw error;
    return resolveSpecId(text, archived, today);
  }
}

/** Reads the spec that `text` means. */
export async function findSpec(context: PlannerContext, text: string, options: FindOptions): Promise<Spec> {
  return context.specs.load(await findSpecId(context, text, options));
}
