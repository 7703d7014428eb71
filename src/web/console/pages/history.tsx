import type { HistoryAnswer } from "../api/replies.ts";
import { useRead } from "../api/use_call.ts";
import { type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, Filters, TextField } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Pager, usePages } from "../ui/pager.tsx";
import { Entries } from "./entries.tsx";

const ACTIONS = [
  ["", "Every change"],
  ["CREATE", "Created"],
  ["UPDATE", "Updated"],
  ["DELETE", "Deleted"],
] as const;

export function History({ place }: { readonly place: Place }) {
  const { settings } = place;
  const filter = {
    entity: place.subject === "" ? (settings.get("entity") ?? "") : place.subject,
    actor: settings.get("actor") ?? "",
    action: settings.get("action") ?? "",
  };
  const pages = usePages(JSON.stringify(filter));
  const asked = useRead<HistoryAnswer>("/audit/history", { ...filter, page_size: "50", page_token: pages.token });
  return (
    <>
      <PageHead title={place.subject === "" ? "History" : `History of ${place.subject}`} />
      <Filters>
        {place.subject === "" ? (
          <TextField
            label="Element"
            placeholder="device:SRV-1"
            value={filter.entity}
            change={(entity) => setSettings({ entity })}
          />
        ) : null}
        <TextField label="Who" value={filter.actor} change={(actor) => setSettings({ actor })} />
        <ChoiceField
          label="What"
          value={filter.action}
          choices={ACTIONS}
          change={(action) => setSettings({ action })}
        />
      </Filters>
      <Answer asked={asked}>
        {({ entries, next_page_token }) => (
          <>
            <Entries entries={entries} />
            <Pager pages={pages} next={next_page_token} />
          </>
        )}
      </Answer>
    </>
  );
}
