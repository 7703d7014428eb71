import type { HistoryAnswer } from "../api/replies.ts";
import { useRead } from "../api/use_call.ts";
import { isInside } from "../history/in_place.ts";
import { count } from "../labels.ts";
import type { InventoryRow } from "../lists/inventory_rows.ts";
import { Answer } from "../ui/answer.tsx";
import { Card, Empty } from "../ui/parts.tsx";
import { Entries } from "./entries.tsx";

/** Changes of the log that are looked through for those of a place, and how many are shown. */
const [LOOKED_AT, SHOWN] = [200, 20];

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
  const asked = useRead<HistoryAnswer>("/audit/history", { page_size: String(LOOKED_AT) });
  return (
    <Card title="Latest changes">
      <Answer asked={asked}>
        {({ entries }) => {
          const inside = entries.filter((entry) => isInside(entry, row));
          if (inside.length > 0) return <Entries entries={inside.slice(0, SHOWN)} />;
          return (
            <Empty>None of the last {count(entries.length)} changes is of a rack, device or cooling unit here.</Empty>
          );
        }}
      </Answer>
    </Card>
  );
}
