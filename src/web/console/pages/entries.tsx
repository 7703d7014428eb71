import { useState } from "preact/hooks";
import { formatCount } from "#words/figures.ts";
import { capitalize, getRefName } from "#words/names.ts";
import type { AuditEntry } from "../api/replies.ts";
import { UndoButton } from "../edit/undo.tsx";
import { listLeafChanges } from "../history/leaf_changes.ts";
import {
  describeRequest,
  getActionVerb,
  getInterfaceName,
  getRefKind,
  groupEntriesByRequest,
  type RequestGroup,
} from "../history/requests.ts";
import { formatPageUrl } from "../router.ts";
import { RefLink, TimeText } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";

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
