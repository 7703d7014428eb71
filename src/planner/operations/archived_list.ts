import type { PlannerContext } from "../context.ts";
import { readinessOf } from "../spec/readiness.ts";
import type { UnreadableFile } from "../spec/spec.ts";
import { openReadChecks } from "./shared/invalid_fields.ts";
import { type SpecRow, specRow, unreadablePart } from "./shared/listing.ts";

/** Lists the archived specs in order of id, only those of `status` when it is given. */
export async function listArchived(
  context: PlannerContext,
  status: string | undefined,
): Promise<{ readonly specs: readonly SpecRow[]; readonly unreadable?: readonly UnreadableFile[] }> {
  const { specs, unreadable } = await context.specs.archived();
  const readiness = readinessOf(specs, new Set());
  const invalidPart = await openReadChecks(context);
  const rows = specs.map((spec) => specRow(spec, readiness, invalidPart(spec)));
  return { specs: rows.filter((row) => status === undefined || row.status === status), ...unreadablePart(unreadable) };
}
