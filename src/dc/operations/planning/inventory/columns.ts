import type { Location } from "#dc/model/resources.ts";
import { type Cell, textCell } from "./listing.ts";

interface Placed {
  readonly location?: Location;
}

/** Where something is located, from the site down to the row. */
export const PLACE_COLUMNS = {
  site: ({ location }: Placed): Cell => location?.siteId,
  floor: ({ location }: Placed): Cell => (location === undefined ? undefined : String(location.floorNumber)),
  room: ({ location }: Placed): Cell => textCell(location?.room),
  row: ({ location }: Placed): Cell => textCell(location?.row),
};
