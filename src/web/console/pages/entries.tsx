import { useRef, useState } from "preact/hooks";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { capitalize, getRefName } from "#words/names.ts";
import { readJsonRoute, useLoadedReply, useRouteCall } from "../api/client.ts";
import type { AuditEntry, HistoryReply } from "../api/replies.ts";
import { UndoButton } from "../edit/dialogs.tsx";
import {
  describeRequest,
  getActionVerb,
  getInterfaceName,
  getRefKind,
  groupEntriesByRequest,
  isChangeInLocation,
  type LocationSearch,
  listLeafChanges,
  type RequestGroup,
  searchLocationChanges,
} from "../history/leaf_changes.ts";
import { formatMoment } from "../labels.ts";
import { formatPageUrl } from "../router.ts";
import { ReplyView } from "../ui/page.tsx";
import { Card, type Column, EmptyText, RefLink, Table, TimeText } from "../ui/parts.tsx";

/** Maximum number of a request's changes that are shown at first. */
const MAX_INITIAL_ENTRIES = 20;

const REQUEST_COLUMNS: readonly Column<RequestGroup>[] = [
  { name: "When", cell: ({ first }) => <TimeText at={first.occurred_at} /> },
  { name: "What", cell: (group) => <RequestEntries group={group} /> },
  { name: "Who", cell: ({ first }) => first.actor.principal || "anonymous" },
  { name: "Through", cell: ({ first }) => getInterfaceName(first.request) },
  { name: "Why", cell: ({ first }) => first.message },
  { name: "Changes", numeric: true, cell: ({ entries }) => formatCount(entries.length) },
];

/** Change log entries grouped by request; each entry can be opened to show its values before and after. */
export function LogEntries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <Table
      caption="Changes"
      columns={REQUEST_COLUMNS}
      rows={groupEntriesByRequest(entries)}
      rowKey={({ first }) => String(first.seq)}
      empty="No change is recorded."
    />
  );
}

function RequestEntries({ group }: { readonly group: RequestGroup }) {
  const [open, setOpen] = useState(false);
  const [isComplete, setComplete] = useState(false);
  const shown = isComplete ? group.entries : group.entries.slice(0, MAX_INITIAL_ENTRIES);
  return (
    <details class="request" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{describeRequest(group)}</summary>
      {open ? (
        <>
          {shown.map((entry) => (
            <EntryDetails key={entry.seq} entry={entry} />
          ))}
          {shown.length === group.entries.length ? null : (
            <button type="button" onClick={() => setComplete(true)}>
              Show {formatCount(group.entries.length - shown.length)} more
            </button>
          )}
          <p>
            <a href={formatPageUrl("history", "", { request: group.id })}>The whole request</a>
          </p>
          <UndoButton requestId={group.id} label="Undo as a new change" />
        </>
      ) : null}
    </details>
  );
}

function EntryDetails({ entry }: { readonly entry: AuditEntry }) {
  const { entity, before, after } = entry;
  const leaves = listLeafChanges(before, after);
  const kind = getRefKind(entity);
  return (
    <section class="change">
      <h3>
        {capitalize(kind)} <RefLink to={entity} label={getRefName(entity)} /> {getActionVerb(entry)}{" "}
        <a href={formatPageUrl("history", entity)}>All changes of this</a>
      </h3>
      <table class="diff">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {leaves.map(({ field, before: was, after: is }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td>{was === undefined ? "–" : <del>{was}</del>}</td>
              <td>{is === undefined ? "–" : <ins>{is}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

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
