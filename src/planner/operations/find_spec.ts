import type { PlannerContext } from "../context.ts";
import { resolveSpecId } from "../spec/resolve_id.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";

/** Whether archived specs may be meant: yes for reading, no for changing. */
export interface FindOptions {
  readonly archived: boolean;
}

/** Returns the full id that `text` means among the project's files. Source: decision S-04. */
export async function findSpecId(context: PlannerContext, text: string, options: FindOptions): Promise<SpecId> {
  const active = await context.specs.ids();
  const ids = options.archived ? [...active, ...(await context.specs.archivedIds())] : active;
  return resolveSpecId(text, ids, localDay(context.clock.now()));
}

/** Reads the spec that `text` means. */
export async function findSpec(context: PlannerContext, text: string, options: FindOptions): Promise<Spec> {
  return context.specs.load(await findSpecId(context, text, options));
}

/** The day in local time as ids carry it, `YYYY-MM-DD`. */
export function localDay(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
