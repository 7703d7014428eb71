import type { SourceKind, SourceNote, SourcePlace } from "#planner/exchange/source.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

export interface TaskOutcome extends SourcePlace {
  readonly key: string;
  readonly id: SpecId;
  readonly action: "created" | "updated" | "unchanged" | "kept" | "refused";
  /** Fields and sections that followed the source. */
  readonly changed?: readonly string[];
  /** Fields and sections that were changed both here and at the source; they stay as they are here. */
  readonly conflicts?: readonly string[];
  readonly archived?: boolean;
  /** Why the task was not written. */
  readonly reason?: string;
}

/** Things that specs do not hold, for one reason. */
export interface NotCarried {
  readonly reason: string;
  readonly count: number;
  /** The tasks are not imported at all. */
  readonly refused: boolean;
  readonly places: readonly (SourcePlace & { readonly detail: string })[];
}

export interface SourceReport {
  readonly kind: SourceKind;
  readonly origin: string;
  readonly state: "done" | "tried" | "stopped";
  readonly counts: {
    readonly tasks: number;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    /** Tasks with something that stays as a person made it. */
    readonly kept: number;
    readonly refused: number;
  };
  /** Specs by status, of all tasks that the source holds. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly tasks: readonly TaskOutcome[];
  readonly not_carried: readonly NotCarried[];
  /** Specs of earlier imports whose tasks are no longer at the source; they stay. */
  readonly vanished: readonly { readonly key: string; readonly id: SpecId }[];
}

/** Groups notes by reason, refusals first, then by count. */
export function notCarried(notes: readonly SourceNote[]): readonly NotCarried[] {
  const groups = new Map<string, NotCarried & { places: NotCarried["places"][number][]; count: number }>();
  for (const { file, line, reason, detail, refused = false } of notes) {
    const name = `${refused} ${reason}`;
    const group = groups.get(name) ?? { reason, count: 0, refused, places: [] };
    group.count++;
    group.places.push({ file, line, detail });
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => Number(b.refused) - Number(a.refused) || b.count - a.count);
}
