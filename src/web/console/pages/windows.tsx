import type { ListedWindow } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { listSomeNames, stripRefKinds } from "#words/names.ts";
import { convertToConstant } from "../address_words.ts";
import { useCall } from "../api/client.ts";
import { EditButton, useCanWrite } from "../edit/changes_panel.tsx";
import { formatRef } from "../edit/refs_field.tsx";
import { DAY_MS } from "../labels.ts";
import { bindSetting, type PageAddress } from "../router.ts";
import { ChoiceField, FilterRow, RefField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, type Column, RefLink, Table } from "../ui/parts.tsx";
import {
  createWindowEdit,
  describeWindowState,
  formatTimeSpan,
  LIST_WINDOWS_RPC,
  TimeLine,
  VerdictBadge,
} from "../windows/judgement.tsx";

const STATE_CHOICES = [
  ["", "Planned or begun"],
  ["done", "Done"],
  ["cancelled", "Cancelled"],
  ["all", "All"],
] as const;

const VERDICT_CHOICES = [
  ["", "Any"],
  ["go", "Go"],
  ["go-with-risk", "Go with risk"],
  ["unknown", "Unknown"],
  ["no-go", "No go"],
] as const;

const TIME_CHOICES = [
  ["", "Any time"],
  ["7", "In the next 7 days"],
  ["30", "In the next 30 days"],
] as const;

/** Maximum number of elements that a line names. */
const MAX_NAMED_ELEMENTS = 3;

const WINDOW_COLUMNS: readonly Column<ListedWindow>[] = [
  { name: "Window", cell: ({ window }) => <RefLink to={`window:${window.code}`} /> },
  { name: "Title", cell: ({ window }) => window.title },
  { name: "When", cell: ({ window }) => formatTimeSpan(window) },
  {
    name: "State",
    cell: ({ window, overdue }) => {
      const words = describeWindowState(window, overdue);
      return overdue ? <Badge tone="fault">{words}</Badge> : words;
    },
  },
  { name: "Verdict", cell: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
  { name: "Why", cell: ({ summary }) => stripRefKinds(summary.split(": ").slice(1).join(": ")) },
  {
    name: "Out of service",
    cell: ({ window: { element_refs } }) => listSomeNames(element_refs.map(formatRef), MAX_NAMED_ELEMENTS),
  },
];

/** Page with maintenance windows by time, with their verdicts. */
export function WindowsPage({ place: { settings } }: { readonly place: PageAddress }) {
  const [state, verdict, within, element] = ["state", "verdict", "within", "element"].map(
    (name) => settings.get(name) ?? "",
  ) as [string, string, string, string];
  const now = Date.now();
  const states = { "": ["PLANNED", "BEGUN"], all: [] }[state] ?? [state.toUpperCase()];
  const asked = useCall(LIST_WINDOWS_RPC, {
    states: states.map((one) => `WINDOW_STATE_${one}`),
    ...(verdict !== "" && { verdicts: [convertToConstant("WINDOW_VERDICT", verdict)] }),
    element_ref: element,
    // Times are rounded to the minute, so that drawing again sends no new request.
    ...(within !== "" && { starts_before: formatMinute(now + Number(within) * DAY_MS), ends_after: formatMinute(now) }),
    page_size: 200,
  });
  const may = useCanWrite();
  return (
    <>
      <PageHead
        title="Windows"
        kind={asked.reply === undefined ? undefined : `${formatCount(asked.reply.total_count)} found`}
        action={<EditButton edit={createWindowEdit([])}>{may ? "New window" : "Ask about a window"}</EditButton>}
      />
      <FilterRow>
        <ChoiceField label="State" {...bindSetting(settings, "state")} choices={STATE_CHOICES} />
        <ChoiceField label="Verdict" {...bindSetting(settings, "verdict")} choices={VERDICT_CHOICES} />
        <ChoiceField label="When" {...bindSetting(settings, "within")} choices={TIME_CHOICES} />
        <RefField label="Takes out" {...bindSetting(settings, "element")} placeholder="A code" kinds={[]} />
      </FilterRow>
      <ReplyView asked={asked}>
        {({ windows }) => (
          <>
            {windows.length === 0 ? null : <TimeLine windows={windows} now={now} />}
            <Table
              caption="Windows"
              columns={WINDOW_COLUMNS}
              rows={windows}
              rowKey={({ window }) => window.code}
              empty="No window is recorded here. “Take out of service…” on the page of any thing begins one."
            />
          </>
        )}
      </ReplyView>
    </>
  );
}

function formatMinute(at: number): string {
  return new Date(at - (at % 60_000)).toISOString();
}
