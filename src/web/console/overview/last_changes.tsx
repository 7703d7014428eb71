import { count } from "#words/figures.ts";
import { enumWord, refName } from "#words/names.ts";
import type { AuditEntry, HistoryAnswer } from "../api/replies.ts";
import { useRead } from "../api/use_call.ts";
import { linkTo } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { Card, Moment, RefLink } from "../ui/parts.tsx";

const SHOWN = 6;
/** Entries that are read to find the last requests. */
const READ = 200;

/** The last changes, one line for each request. */
export function LastChanges() {
  const asked = useRead<HistoryAnswer>("/audit/history", { page_size: String(READ) });
  return (
    <Card title="Last changes" action={<a href={linkTo("history")}>History</a>}>
      <Answer asked={asked}>
        {({ entries }) => {
          const groups = [...Map.groupBy(entries, ({ request, seq }) => request.id || String(seq)).values()];
          if (groups.length === 0) return <p class="empty">Nothing has been changed yet.</p>;
          return (
            <ol class="last-changes">
              {groups.slice(0, SHOWN).map((group) => (
                <Request key={group[0]?.seq} entries={group} isCut={group.length === READ} />
              ))}
            </ol>
          );
        }}
      </Answer>
    </Card>
  );
}

function Request({ entries, isCut }: { readonly entries: readonly AuditEntry[]; readonly isCut: boolean }) {
  const [first] = entries;
  if (first === undefined) return null;
  const { occurred_at, actor, message, entity, action } = first;
  const done = `${enumWord(action, "AUDIT_ACTION")}d`.replace("dd", "d");
  return (
    <li>
      <Moment at={occurred_at} />
      <span class="muted">{actor.principal || "anonymous"}</span>
      <span>
        {message === "" ? done : message} <RefLink to={entity} label={refName(entity)} />
        {entries.length === 1 ? null : (
          <span class="muted">
            {" "}
            and {isCut ? "at least " : ""}
            {count(entries.length - 1)} more
          </span>
        )}
      </span>
    </li>
  );
}
