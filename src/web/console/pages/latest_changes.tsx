import { useRef } from "preact/hooks";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { readJsonRoute } from "../api/client.ts";
import type { HistoryReply } from "../api/replies.ts";
import { useLoadedReply, useRouteCall } from "../api/use_call.ts";
import { isChangeInLocation } from "../history/in_place.ts";
import { type LocationSearch, searchLocationChanges } from "../history/place_search.ts";
import { formatMoment } from "../labels.ts";
import { ReplyView } from "../ui/answer.tsx";
import { Card, EmptyText } from "../ui/parts.tsx";
import { LogEntries } from "./entries.tsx";

/** Card with the latest changes of one element. */
export function ElementChanges({ entity }: { readonly entity: string }) {
  const asked = useRouteCall<HistoryReply>("/audit/history", { entity, page_size: "10" });
  return (
    <Card title="Latest changes">
      <ReplyView asked={asked}>{({ entries }) => <LogEntries entries={entries} />}</ReplyView>
    </Card>
  );
}

/** Card with the latest changes of racks, devices and cooling units in a location. */
export function LocationChanges({ row }: { readonly row: InventoryRow }) {
  const earlier = useRef<{ readonly ref: string; readonly search: LocationSearch } | undefined>(undefined);
  const asked = useLoadedReply(`changes in ${row.ref}`, async (signal) => {
    const page = (parameters: Readonly<Record<string, string>>) =>
      readJsonRoute<HistoryReply>("/audit/history", parameters, signal);
    const known = earlier.current?.ref === row.ref ? earlier.current.search : undefined;
    const search = await searchLocationChanges(page, (entry) => isChangeInLocation(entry, row), known);
    earlier.current = { ref: row.ref, search };
    return search;
  });
  return (
    <Card title="Latest changes">
      <ReplyView asked={asked}>
        {(search) => (
          <>
            {search.entries.length === 0 ? (
              <EmptyText>No change of a rack, device or cooling unit here was found.</EmptyText>
            ) : (
              <LogEntries entries={search.entries} />
            )}
            <p class="muted">{describeSearch(search)}</p>
          </>
        )}
      </ReplyView>
    </Card>
  );
}

function describeSearch({ searched, isComplete, oldestTime }: LocationSearch): string {
  if (isComplete) return `All ${formatCount(searched)} changes of the history were searched.`;
  return `The last ${formatCount(searched)} changes were searched, back to ${formatMoment(oldestTime)}.`;
}
