import { formatCount } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import type { HistoryAnswer } from "../api/replies.ts";
import { useRead } from "../api/use_call.ts";
import { groupByRequest } from "../history/requests.ts";
import { dayOf, momentOf, RANGES, rangeOf } from "../history/time_range.ts";
import { countOf } from "../labels.ts";
import { linkTo, type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, DateField, Filters, TextField } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Pager, usePages } from "../ui/pager.tsx";
import { RefField } from "../ui/ref_field.tsx";
import { Entries } from "./entries.tsx";

const ACTIONS = [
  ["", "Every change"],
  ["create", "Created"],
  ["update", "Changed"],
  ["delete", "Deleted"],
] as const;

const INTERFACES = [
  ["", "Anything"],
  ["rest", "Console and HTTP API"],
  ["grpc", "gRPC"],
  ["graphql", "GraphQL"],
  ["mcp", "Agent"],
  ["system", "Command line"],
  ["webhook", "Change feed"],
] as const;

/** Entries of one page. */
const PAGE = "200";

export function History({ place }: { readonly place: Place }) {
  const { settings, subject } = place;
  const setting = (name: string) => settings.get(name) ?? "";
  const filter = {
    entity: subject === "" ? setting("entity") : subject,
    actor: setting("actor"),
    action: setting("action"),
    interface: setting("through"),
    request_id: setting("request"),
    since: momentOf(setting("since"), "start"),
    until: momentOf(setting("until"), "end"),
  };
  const pages = usePages(JSON.stringify(filter));
  const asked = useRead<HistoryAnswer>("/audit/history", { ...filter, page_size: PAGE, page_token: pages.token });
  return (
    <>
      <PageHead title={subject === "" ? "History" : `History of ${getRefName(subject)}`} />
      <Filters>
        <ChoiceField
          label="When"
          value={rangeOf(setting("since"), setting("until"))}
          choices={RANGES}
          change={(range) => setSettings({ since: range === "" ? "" : dayOf(Number(range)), until: "" })}
        />
        <DateField label="From" value={setting("since")} change={(since) => setSettings({ since })} />
        <DateField label="To" value={setting("until")} change={(until) => setSettings({ until })} />
        <TextField
          label="Who"
          placeholder="alice, jwt:alice, token:alice"
          value={filter.actor}
          change={(actor) => setSettings({ actor })}
        />
        <ChoiceField
          label="What"
          value={filter.action}
          choices={ACTIONS}
          change={(action) => setSettings({ action })}
        />
        {subject === "" ? (
          <RefField
            label="Where"
            placeholder="B03, SRV-B03-07"
            kinds={["SITE", "FLOOR", "ROOM", "ROW", "RACK", "DEVICE", "CRAC", "CABLE", "FABRIC_LINK"]}
            value={filter.entity}
            change={(entity) => setSettings({ entity })}
          />
        ) : null}
        <ChoiceField
          label="Through"
          value={filter.interface}
          choices={INTERFACES}
          change={(through) => setSettings({ through })}
        />
      </Filters>
      {filter.request_id === "" ? null : (
        <p>
          Only the request {filter.request_id}. <a href={linkTo("history", subject)}>Show every request</a>
        </p>
      )}
      <Answer asked={asked}>
        {({ entries, next_page_token }) => (
          <>
            <p class="tally-line">
              {countOf(groupByRequest(entries).length, "request")}, {formatCount(entries.length)}{" "}
              {entries.length === 1 ? "change" : "changes"}
              {next_page_token === "" ? "" : " on this page"}
            </p>
            <Entries entries={entries} />
            <Pager pages={pages} next={next_page_token} />
          </>
        )}
      </Answer>
    </>
  );
}
