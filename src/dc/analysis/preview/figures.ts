import { HEALTHS, type Health } from "#dc/model/enum_values.ts";
import { roundFigure } from "#dc/model/figure.ts";
import { compareText } from "#dc/model/ref.ts";
import type { FigureChange, SupplyPreview } from "#gen/datacenter/v1/messages.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { getNodeKey } from "../power/power_keys.ts";

/** Figures of one element by name. */
export type Figures<Name extends string> = { readonly [Key in Name]?: number | undefined };

export interface ComparedFigures<Name extends string> {
  /** Figures of an element, except figures that are unknown both before and after. */
  readonly figures: Readonly<Partial<Record<Name, FigureChange>>>;
  readonly isDifferent: boolean;
}

/**
 * Compares the figures of an element before and after changes.
 *
 * @param before undefined for a new element
 * @param after undefined for a removed element
 */
export function compareElementFigures<Name extends string>(
  before: Figures<Name> | undefined,
  after: Figures<Name> | undefined,
): ComparedFigures<Name> {
  const figures: Partial<Record<Name, FigureChange>> = {};
  let differs = false;
  for (const name of Object.keys(after ?? before ?? {}) as Name[]) {
    const [was, is] = [roundOptionalValue(before?.[name]), roundOptionalValue(after?.[name])];
    if (was !== is) differs = true;
    if (was === undefined && is === undefined) continue;
    figures[name] = { ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) };
  }
  return { figures, isDifferent: differs };
}

function roundOptionalValue(value: number | undefined): number | undefined {
  return value === undefined ? undefined : roundFigure(value);
}

/** Numbers of one element in two states of a graph; -1 in a state without it. */
export type ElementPair = readonly [before: number, after: number];

/** Yields each element's numbers in two states of a graph. Cost: O(nodes); equal nodes are not compared in detail. */
export function* yieldElementPairs(before: PowerGraph, after: PowerGraph): Generator<ElementPair> {
  const size = Math.max(before.nodes.length, after.nodes.length);
  for (let index = 0; index < size; index += 1) yield* yieldPairsAt(before, after, index);
}

/** Yields the elements that have a node number in either state of a graph. */
export function* yieldPairsAt(before: PowerGraph, after: PowerGraph, index: number): Generator<ElementPair> {
  const [was, is] = [before.nodes[index], after.nodes[index]];
  if (was === is) {
    yield [index, index];
    return;
  }
  const [had, has] = [getNodeKey(was), getNodeKey(is)];
  // The number of a removed element may have been reused for another one.
  if (has !== "") yield [had === has ? index : (before.indexOf.get(has) ?? -1), index];
  if (had !== "" && had !== has && after.indexOf.get(had) === undefined) yield [index, -1];
}

/** An element whose health may change; `healthBefore` is absent for a new element, `healthAfter` for a removed one. */
export type HealthChange = { readonly ref: string } & Partial<Pick<SupplyPreview, "healthBefore" | "healthAfter">>;

/** Sorts changes by the worst health afterwards, then worsened health first, then by size, then by reference. */
export function sortWorstFirst<Change extends HealthChange>(
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
