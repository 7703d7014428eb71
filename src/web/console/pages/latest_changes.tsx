import { useRef } from "preact/hooks";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { read } from "../api/client.ts";
import type { HistoryAnswer } from "../api/replies.ts";
import { useQuestion, useRead } from "../api/use_call.ts";
import { isInside } from "../history/in_place.ts";
import { type PlaceSearch, searchPlace } from "../history/place_search.ts";
import { moment } from "../labels.ts";
import { Answer } from "../ui/answer.tsx";
import { Card, Empty } from "../ui/parts.tsx";
import { Entries } from "./entries.tsx";

/** The latest changes of one thing. */
export function ChangesOf({ entity }: { readonly entity: string }) {
  const asked = useRead<HistoryAnswer>("/audit/history", { entity, page_size: "10" });
  return (
    <Card title="Latest changes">
      <Answer asked={asked}>{({ entries }) => <Entries entries={entries} />}</Answer>
    </Card>
  );
}

/** The latest changes of racks, devices and cooling units in a place. */
export function PlaceChanges({ row }: { readonly row: InventoryRow }) {
  const earlier = useRef<{ readonly ref: string; readonly search: PlaceSearch } | undefined>(undefined);
  const asked = useQuestion(`changes in ${row.ref}`, async (signal) => {
    const page = (parameters: Readonly<Record<string, string>>) =>
      read<HistoryAnswer>("/audit/history", parameters, signal);
    const known = earlier.current?.ref === row.ref ? earlier.current.search : undefined;
    const search = await searchPlace(page, (entry) => isInside(entry, row), known);
    earlier.current = { ref: row.ref, search };
    return search;
  });
  return (
    <Card title="Latest changes">
      <Answer asked={asked}>
        {(search) => (
          <>
            {search.entries.length === 0 ? (
              <Empty>No change of a rack, device or cooling unit here was found.</Empty>
            ) : (
              <Entries entries={search.entries} />
            )}
            <p class="muted">{searchedText(search)}</p>
          </>
        )}
      </Answer>
    </Card>
  );
}

function searchedText({ searched, isWhole, back }: PlaceSearch): string {
  if (isWhole) return `All ${formatCount(searched)} changes of the history were searched.`;
  return `The last ${formatCount(searched)} changes were searched, back to ${moment(back)}.`;
}
