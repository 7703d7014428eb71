import { HEALTHS, type Health } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { SupplyPreview } from "#gen/datacenter/v1/messages.ts";

/** Something whose health changes may alter: absent before for a new thing, after for a removed one. */
export type Judged = { readonly ref: string } & Partial<Pick<SupplyPreview, "healthBefore" | "healthAfter">>;

/** The worst health afterwards first; of equal ones that which has become worse, then what is larger, then by reference. */
export function worstFirst<Change extends Judged>(
  changes: readonly Change[],
  size: (change: Change) => number = () => 0,
): readonly Change[] {
  const weight = (health: Health | undefined) => HEALTHS.indexOf(health ?? "OK");
  const rise = ({ healthBefore, healthAfter }: Change) => weight(healthAfter) - weight(healthBefore);
  return changes.toSorted(
    (a, b) =>
      weight(b.healthAfter) - weight(a.healthAfter) ||
      rise(b) - rise(a) ||
      size(b) - size(a) ||
      compareText(a.ref, b.ref),
  );
}
