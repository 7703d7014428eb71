import { HEALTHS, type Health } from "#dc/model/enum_values.ts";
import { roundFigure } from "#dc/model/figure.ts";
import { compareText } from "#dc/model/ref.ts";
import type { FigureChange, SupplyPreview } from "#gen/datacenter/v1/messages.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { getNodeKey } from "../power/power_keys.ts";

/** Figures of one thing by name. */
export type Figures<Name extends string> = { readonly [Key in Name]?: number | undefined };

/** The figures of a thing before and after changes side by side. */
export interface Compared<Name extends string> {
  /** Without those that are unknown both before and after. */
  readonly figures: Readonly<Partial<Record<Name, FigureChange>>>;
  /** Whether any of them differs. */
  readonly differs: boolean;
}

/**
 * Puts the figures of a thing before and after changes side by side.
 *
 * @param before undefined for a new thing
 * @param after undefined for one that is removed
 */
export function compareFigures<Name extends string>(
  before: Figures<Name> | undefined,
  after: Figures<Name> | undefined,
): Compared<Name> {
  const figures: Partial<Record<Name, FigureChange>> = {};
  let differs = false;
  for (const name of Object.keys(after ?? before ?? {}) as Name[]) {
    const [was, is] = [roundedFigure(before?.[name]), roundedFigure(after?.[name])];
    if (was !== is) differs = true;
    if (was === undefined && is === undefined) continue;
    figures[name] = { ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) };
  }
  return { figures, differs };
}

export function roundedFigure(value: number | undefined): number | undefined {
  return value === undefined ? undefined : roundFigure(value);
}

/** The numbers of one element in two states of a graph; -1 in the one that lacks it. */
export type ElementPair = readonly [before: number, after: number];

/** Every element of either of two states of a graph. Cost: O(nodes), without looking at those that are the same. */
export function* elementPairs(before: PowerGraph, after: PowerGraph): Generator<ElementPair> {
  const size = Math.max(before.nodes.length, after.nodes.length);
  for (let index = 0; index < size; index += 1) yield* pairsAt(before, after, index);
}

/** The elements that have a number in either state. */
export function* pairsAt(before: PowerGraph, after: PowerGraph, index: number): Generator<ElementPair> {
  const [was, is] = [before.nodes[index], after.nodes[index]];
  if (was === is) {
    yield [index, index];
    return;
  }
  const [had, has] = [getNodeKey(was), getNodeKey(is)];
  // The number of a removed element may be that of another one now.
  if (has !== "") yield [had === has ? index : (before.indexOf.get(has) ?? -1), index];
  if (had !== "" && had !== has && after.indexOf.get(had) === undefined) yield [index, -1];
}

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
