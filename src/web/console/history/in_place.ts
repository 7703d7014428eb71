import type { Location } from "#gen/datacenter/v1/json.ts";
import type { AuditEntry } from "../api/replies.ts";

/** A site, room or row with the texts of its list row. */
interface LocationRow {
  readonly ref: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** Whether a change concerns an element that is or was in the given site, room or row. */
export function isChangeInLocation(
  { before, after }: Pick<AuditEntry, "before" | "after">,
  { ref, texts }: LocationRow,
): boolean {
  const [kind = "", name = ""] = [ref.slice(0, ref.indexOf(":")), ref.slice(ref.lastIndexOf("/") + 1)];
  return [before, after].some((state) => {
    const location = (state as { readonly location?: Partial<Location> } | null | undefined)?.location;
    if (location === undefined) return false;
    if (kind === "site") return `site:${location.site_id}` === ref;
    const place = kind === "room" ? location.room : location.row;
    return (
      location.site_id === texts["site"] && String(location.floor_number ?? 0) === texts["floor"] && place === name
    );
  });
}
