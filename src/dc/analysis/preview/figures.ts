import { roundFigure } from "#dc/model/figure.ts";
import type { FigureChange } from "#gen/datacenter/v1/messages.ts";

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
export function compared<Name extends string>(
  names: readonly Name[],
  before: Figures<Name> | undefined,
  after: Figures<Name> | undefined,
): Compared<Name> {
  const figures: Partial<Record<Name, FigureChange>> = {};
  let differs = false;
  for (const name of names) {
    const [was, is] = [rounded(before?.[name]), rounded(after?.[name])];
    if (was !== is) differs = true;
    if (was === undefined && is === undefined) continue;
    figures[name] = { ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) };
  }
  return { figures, differs };
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : roundFigure(value);
}
