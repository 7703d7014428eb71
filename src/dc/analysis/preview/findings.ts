import { compareText } from "#dc/model/ref.ts";
import type { FindingPreview } from "#gen/datacenter/v1/messages.ts";
import type { HealthReason } from "../racks/rack_health.ts";

/** Findings that changes add and remove, faults first. */
export interface FindingChanges {
  readonly added: readonly FindingPreview[];
  readonly removed: readonly FindingPreview[];
}

/** Collects findings that changes add or remove. The same reason of several racks is one finding. */
export class FindingComparison {
  readonly #added = new Map<string, FindingPreview>();
  readonly #removed = new Map<string, FindingPreview>();

  /** Compares the reasons of one rack or area. Ignores reasons without health. @param racks 0 for an area */
  compareReasons(before: readonly HealthReason[], after: readonly HealthReason[], racks: 0 | 1): void {
    if (before === after) return;
    const [had, has] = [new Set(before.map(formatReasonKey)), new Set(after.map(formatReasonKey))];
    for (const reason of after) if (!had.has(formatReasonKey(reason))) addRackFinding(this.#added, reason, racks);
    for (const reason of before) if (!has.has(formatReasonKey(reason))) addRackFinding(this.#removed, reason, racks);
  }

  listChanges(): FindingChanges {
    return { added: sortFindings(this.#added), removed: sortFindings(this.#removed) };
  }
}

function formatReasonKey({ code, ref, health }: HealthReason): string {
  return `${health} ${code} ${ref}`;
}

function addRackFinding(found: Map<string, FindingPreview>, reason: HealthReason, racks: 0 | 1): void {
  const { code, ref, health, value, limit } = reason;
  if (health === undefined) return;
  const known = found.get(formatReasonKey(reason));
  const figures = { ...(value !== undefined && { value }), ...(limit !== undefined && { limit }) };
  found.set(formatReasonKey(reason), { code, ref, health, ...figures, racks: (known?.racks ?? 0) + racks });
}

function sortFindings(found: ReadonlyMap<string, FindingPreview>): readonly FindingPreview[] {
  return [...found.values()].sort(
    (a, b) =>
      Number(b.health === "FAULT") - Number(a.health === "FAULT") ||
      b.racks - a.racks ||
      compareText(a.code, b.code) ||
      compareText(a.ref, b.ref),
  );
}
