import type { Location } from "#gen/datacenter/v1/json.ts";
import { formatPageUrl } from "../router.ts";

/** Renders a location, with its floor as a link. */
export function renderLocation(location: Location | undefined, rackCode = "") {
  if (location === undefined) return undefined;
  const { site_id, floor_number, room, row } = location;
  return (
    <>
      <a href={formatPageUrl("floor", `floor:${site_id}/${floor_number}`)}>
        {site_id}, floor {floor_number}
      </a>
      {room === "" ? "" : `, ${room}`}
      {row === "" ? "" : `, row ${row}`}
      {rackCode === "" ? null : (
        <>
          , rack <a href={formatPageUrl("rack", rackCode)}>{rackCode}</a>
        </>
      )}
    </>
  );
}
