import { codeKey } from "../code.ts";
import { type Finding, warning } from "../finding.ts";
import { footprintsOverlap } from "../footprint.ts";
import type { Location, Placement } from "../resources.ts";
import type { Change, Findings } from "../rule.ts";
import type { SiteReader } from "../site.ts";

interface Tile {
  readonly code: string;
  readonly location?: Location;
  readonly placement?: Placement;
}

/** Warns if footprints on the same floor overlap. Source: docs/contract/datacenter-rules.md#rack. */
export function tileOverlap(kind: "rack" | "crac") {
  return async ({ after }: Change<Tile>, site: SiteReader): Promise<Findings> => {
    const { location, placement } = after;
    if (location === undefined || placement === undefined) return [];
    const racks = await site.racksOnFloor(location.siteId, location.floorNumber);
    const cracs = await site.cracsOnFloor(location.siteId, location.floorNumber);
    const itself = `${kind}:${codeKey(after.code)}`;
    return [...overlapping("rack", racks, placement, itself), ...overlapping("crac", cracs, placement, itself)];
  };
}

function overlapping(kind: string, tiles: readonly Tile[], placement: Placement, itself: string): readonly Finding[] {
  return tiles
    .filter((tile) => `${kind}:${codeKey(tile.code)}` !== itself)
    .filter((tile) => tile.placement !== undefined && footprintsOverlap(tile.placement, placement))
    .map((tile) =>
      warning("TILE_OVERLAP", "placement", `The footprint overlaps ${kind} "${tile.code}"`, {
        ref: `${kind}:${tile.code}`,
        expected: "free floor",
      }),
    );
}
