import type { PortKind } from "#dc/model/enum_values.ts";
import { typeFits } from "#dc/model/port_types.ts";
import { slugFrom } from "./codes.ts";

/** Legs of a three-phase feed, as sources name them. */
export const FEED_LEGS = ["A", "B", "C"] as const;

/** Most positions of a port. */
export const MAX_POSITIONS = 1024;

/** A source's port type in our spelling, or undefined if it does not belong on a port of this kind. */
export function fittingType(kind: PortKind, given: string): string | undefined {
  const type = slugFrom(given);
  return type !== undefined && typeFits(kind, type) ? type : undefined;
}
