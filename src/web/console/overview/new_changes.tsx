import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import type { AuditEntry, HistoryReply } from "../api/replies.ts";
import { useRouteCall } from "../api/use_call.ts";
import { describeRequest, groupEntriesByRequest, type RequestGroup } from "../history/requests.ts";
import { computeDayEdge, formatDayAgo } from "../history/time_range.ts";
import { formatQuantity } from "../labels.ts";
import { formatPageUrl } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { Card, RefLink, TimeText } from "../ui/parts.tsx";

const MAX_LINES = 6;
/** Number of log entries that are read to find the last requests. */
const LOG_PAGE_SIZE = 200;

/** Changes since yesterday, one line per request; the requests of an import share a line. */
export function NewChangesCard() {
  const [since] = useState(() => formatDayAgo(1));
  const asked = useRouteCall<HistoryReply>("/audit/history", { page_size: String(LOG_PAGE_SIZE) });
  const begin = computeDayEdge(since, "start");
  const oldest = useRouteCall<HistoryReply>("/audit/history", { since: begin, order: "asc", page_size: "1" });
  return (
    <Card title="New since yesterday" action={<a href={formatPageUrl("history", "", { since })}>History</a>}>
      <ReplyView asked={asked}>
        {({ entries, chain }) => {
          const lines = groupJoinedRequests(entries);
          const first = oldest.reply?.entries[0];
          if (lines.length === 0) return <p class="empty">Nothing has been changed yet.</p>;
          return (
            <>
              {oldest.reply === undefined ? null : (
                // The numbers of log entries have no gaps.
                <p class="muted">
                  {first === undefined
                    ? "Nothing is new. The last changes were:"
                    : `${formatQuantity(chain.head_seq - first.seq + 1, "change")}, the latest first.`}
                </p>
              )}
              <ol class="last-changes">
                {lines.slice(0, MAX_LINES).map((line) => (
                  <RequestLine
                    key={line.first.seq}
                    group={line}
                    isCut={entries.length === LOG_PAGE_SIZE && line === lines.at(-1)}
                  />
                ))}
              </ol>
            </>
          );
        }}
      </ReplyView>
    </Card>
  );
}

/** Groups entries by request, and joins consecutive bulk requests of the same person, interface and reason. */
function groupJoinedRequests(entries: readonly AuditEntry[]): readonly RequestGroup[] {
  const lines: RequestGroup[] = [];
  for (const group of groupEntriesByRequest(entries)) {
    const last = lines.at(-1);
    if (last !== undefined && isBulkRequest(group) && isBulkRequest(last) && hasSameOrigin(last.first, group.first))
      lines[lines.length - 1] = { ...last, entries: [...last.entries, ...group.entries] };
    else lines.push(group);
  }
  return lines;
}

/** Whether a request is part of an import or another bulk operation, which needs several requests. */
function isBulkRequest({ first }: RequestGroup): boolean {
  return /^Bulk|Import|ApplyChanges/.test(first.request.method.split("/").at(-1) ?? "");
}

function hasSameOrigin(a: AuditEntry, b: AuditEntry): boolean {
  const [first, second] = [a, b].map(({ actor, request, message }) =>
    JSON.stringify([actor.principal, request.interface, message]),
  );
  return first === second;
}

function RequestLine({ group, isCut }: { readonly group: RequestGroup; readonly isCut: boolean }) {
  const { entries, first } = group;
  const { occurred_at, actor, message, entity } = first;
  return (
    <li>
      <TimeText at={occurred_at} />
      <span class="muted">{actor.principal || "anonymous"}</span>
      <span>
        {message === "" ? "" : `${message}: `}
        {entries.length === 1 ? (
          <>
            {describeRequest(group).replace(getRefName(entity), "").trim()} <RefLink to={entity} />
          </>
        ) : (
          <a href={formatPageUrl("history", "", { request: first.request.id })}>
            {first.request.method === "Import" ? "Import, " : ""}
            {isCut ? <ChangeCount group={group} /> : describeRequest(group)}
          </a>
        )}
      </span>
    </li>
  );
}

/** Number of changes of a request whose entries were not all read. */
function ChangeCount({ group: { entries, first } }: { readonly group: RequestGroup }) {
  const { reply } = useRouteCall<HistoryReply>("/audit/history", {
    request_id: first.request.id,
    order: "asc",
    page_size: "1",
  });
  const begin = reply?.entries[0];
  if (begin === undefined) return <>at least {formatQuantity(entries.length, "change")}</>;
  // Entry numbers are consecutive within a transaction. Between two transactions, other requests may have written.
  const bound = begin.transaction_id === first.transaction_id ? "" : "up to ";
  return (
    <>
      {bound}
      {formatQuantity(first.seq - begin.seq + 1, "change")}
    </>
  );
}
