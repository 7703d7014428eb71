import { formatCount } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { useRouteCall } from "../api/client.ts";
import type { HistoryReply } from "../api/replies.ts";
import {
  computeDayEdge,
  findTimeRange,
  formatDayAgo,
  groupEntriesByRequest,
  TIME_RANGES,
} from "../history/leaf_changes.ts";
import { formatQuantity } from "../labels.ts";
import { SCOPE_KINDS } from "../named_refs.ts";
import { bindSetting, changeSettings, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, DateField, FilterRow, RefField, TextField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Pager, useVisitedPages } from "../ui/parts.tsx";
import { LogEntries } from "./entries.tsx";

const ACTION_CHOICES = [
  ["", "Every change"],
  ["create", "Created"],
  ["update", "Changed"],
  ["delete", "Deleted"],
] as const;

const INTERFACE_CHOICES = [
  ["", "Anything"],
  ["rest", "Console and HTTP API"],
  ["grpc", "gRPC"],
  ["graphql", "GraphQL"],
  ["mcp", "Agent"],
  ["system", "Command line"],
  ["webhook", "Change feed"],
] as const;

/** Number of entries per page. */
const PAGE_SIZE = "200";

export function HistoryPage({ place }: { readonly place: PageAddress }) {
  const { settings, subject } = place;
  const getSetting = (name: string) => settings.get(name) ?? "";
  const filter = {
    entity: subject === "" ? getSetting("entity") : subject,
    actor: getSetting("actor"),
    action: getSetting("action"),
    interface: getSetting("through"),
    request_id: getSetting("request"),
    since: computeDayEdge(getSetting("since"), "start"),
    until: computeDayEdge(getSetting("until"), "end"),
  };
  const pages = useVisitedPages(JSON.stringify(filter));
  const asked = useRouteCall<HistoryReply>("/audit/history", {
    ...filter,
    page_size: PAGE_SIZE,
    page_token: pages.token,
  });
  return (
    <>
      <PageHead title={subject === "" ? "History" : `History of ${getRefName(subject)}`} />
      <FilterRow>
        <ChoiceField
          label="When"
          value={findTimeRange(getSetting("since"), getSetting("until"))}
          choices={TIME_RANGES}
          change={(range) => changeSettings({ since: range === "" ? "" : formatDayAgo(Number(range)), until: "" })}
        />
        <DateField label="From" {...bindSetting(settings, "since")} />
        <DateField label="To" {...bindSetting(settings, "until")} />
        <TextField label="Who" placeholder="alice, jwt:alice, token:alice" {...bindSetting(settings, "actor")} />
        <ChoiceField label="What" {...bindSetting(settings, "action")} choices={ACTION_CHOICES} />
        {subject === "" ? (
          <RefField
            label="Where"
            placeholder="B03, SRV-B03-07"
            kinds={[...SCOPE_KINDS, "DEVICE", "CRAC", "CABLE", "FABRIC_LINK"]}
            {...bindSetting(settings, "entity")}
          />
        ) : null}
        <ChoiceField label="Through" {...bindSetting(settings, "through")} choices={INTERFACE_CHOICES} />
      </FilterRow>
      {filter.request_id === "" ? null : (
        <p>
          Only the request {filter.request_id}. <a href={formatPageUrl("history", subject)}>Show every request</a>
        </p>
      )}
      <ReplyView asked={asked}>
        {({ entries, next_page_token }) => (
          <>
            <p class="tally-line">
              {formatQuantity(groupEntriesByRequest(entries).length, "request")}, {formatCount(entries.length)}{" "}
              {entries.length === 1 ? "change" : "changes"}
              {next_page_token === "" ? "" : " on this page"}
            </p>
            <LogEntries entries={entries} />
            <Pager pages={pages} next={next_page_token} />
          </>
        )}
      </ReplyView>
    </>
  );
}
