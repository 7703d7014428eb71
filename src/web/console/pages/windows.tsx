import type { GetWindowResponse, ListedWindow, MaintenanceWindow } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatDuration } from "#words/figures.ts";
import { formatEnum, listSomeNames, stripRefKinds } from "#words/names.ts";
import { shownWindow, useCall, useShownWindow } from "../api/client.ts";
import { EditButton, useCanWrite } from "../edit/changes_panel.tsx";
import { formatRef } from "../edit/ref_fields.tsx";
import { listResourceFacts } from "../edit/values.ts";
import { DAY_MS } from "../labels.ts";
import { bindSetting, convertToConstant, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, FilterRow, RefField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Badge, Card, type Column, EmptyText, FactList, RefLink, Table, TimeText } from "../ui/parts.tsx";
import {
  createWindowEdit,
  describeWindowState,
  formatTimeSpan,
  LIST_WINDOWS_RPC,
  TimeLine,
  VerdictBadge,
  WindowJudgement,
} from "../windows/judgement.tsx";
import { ElementActions } from "./element_parts.tsx";
import { ElementChanges } from "./entries.tsx";

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

/** Maximum numbers of items per list on the screen and on paper. A printed sheet fits one page. */
const [MAX_SCREEN_ITEMS, MAX_PRINTED_ITEMS] = [50, 10];

/** Page of a maintenance window: its verdict, its state, and its run sheet. */
export function WindowPage({ place }: { readonly place: PageAddress }) {
  const code = place.subject;
  const isSheet = place.settings.get("view") === "sheet";
  const max_items = isSheet ? MAX_PRINTED_ITEMS : MAX_SCREEN_ITEMS;
  const asked = useCall("datacenter.v1.PlanningService/GetWindow", { code, max_items });
  const { reply } = asked;
  return (
    <>
      <PageHead
        title={code}
        kind={reply === undefined ? "Window" : reply.window.title || "Window"}
        action={
          reply === undefined ? null : isSheet ? (
            <>
              <a class="button" href={formatPageUrl("window", code)}>
                Back to the window
              </a>
              <button type="button" class="primary" onClick={() => print()}>
                Print
              </button>
            </>
          ) : (
            <WindowActions answer={reply} />
          )
        }
      />
      <ReplyView asked={asked}>
        {(answer) => (isSheet ? <RunSheet answer={answer} /> : <WindowDetails answer={answer} />)}
      </ReplyView>
    </>
  );
}

/** States that may follow each state, with their button labels. */
const NEXT_STATES: Readonly<Record<string, readonly (readonly [state: string, verb: string])[]>> = {
  WINDOW_STATE_PLANNED: [
    ["BEGUN", "Begin"],
    ["DONE", "Done"],
    ["CANCELLED", "Cancel"],
  ],
  WINDOW_STATE_BEGUN: [
    ["DONE", "Done"],
    ["CANCELLED", "Cancel"],
  ],
};

function WindowActions({ answer: { window } }: { readonly answer: GetWindowResponse }) {
  const { code, state, starts_at = "" } = window;
  const isAhead = Date.parse(starts_at) > Date.now();
  const steps = (NEXT_STATES[state] ?? []).filter(([to]) => !isAhead || to === "CANCELLED");
  return (
    <>
      {useCanWrite()
        ? steps.map(([to, verb]) => (
            <EditButton
              key={to}
              edit={{ mode: "edit", kind: "window", identity: { code }, change: { state: `WINDOW_STATE_${to}` }, verb }}
            >
              {verb}…
            </EditButton>
          ))
        : null}
      {state === "WINDOW_STATE_PLANNED" || state === "WINDOW_STATE_BEGUN" ? <ShowDuringButton code={code} /> : null}
      <a class="button" href={formatPageUrl("window", code, { view: "sheet" })}>
        Run sheet
      </a>
      <ElementActions edit={{ kind: "window", identity: { code } }} history={`window:${code}`} />
    </>
  );
}

/** Button that switches all pages to the state during the window, and back. */
function ShowDuringButton({ code }: { readonly code: string }) {
  const isOn = useShownWindow() === code;
  return (
    <button type="button" aria-pressed={isOn} onClick={() => shownWindow.set(isOn ? "" : code)}>
      Show as during it
    </button>
  );
}

function WindowDetails(props: { readonly answer: GetWindowResponse }) {
  const {
    answer: { window, overdue, judgement, time_zone, notices },
  } = props;
  const [here, onSite] = [formatTimeSpan(window), time_zone?.note === "" ? formatTimeSpan(window, time_zone.name) : ""];
  return (
    <>
      <div class="columns even">
        <Card title="May it take place?">
          {judgement === undefined ? (
            <EmptyText>A window that is {formatWindowState(window)} is not judged.</EmptyText>
          ) : (
            <WindowJudgement judged={judgement} />
          )}
        </Card>
        <Card
          title="Plan"
          action={<Badge tone={overdue ? "fault" : "plain"}>{describeWindowState(window, overdue)}</Badge>}
        >
          <FactList
            rows={[
              ["When", `${here}, ${formatWindowLength(window)}`],
              ["On site", onSite === here ? "" : onSite],
              ["Out of service", <RefList key="out" refs={window.element_refs} />],
              [
                "May be lost",
                window.accepted_refs.length === 0 ? "" : <RefList key="lost" refs={window.accepted_refs} />,
              ],
              ...listResourceFacts("window", window, "owner contact notes"),
              ["Changed", window.update_time && <TimeText key="changed" at={window.update_time} />],
            ]}
          />
        </Card>
      </div>
      <ContactMessages notices={notices} />
      <ElementChanges entity={`window:${window.code}`} />
    </>
  );
}

function formatWindowState({ state }: MaintenanceWindow): string {
  return formatEnum(state, "WINDOW_STATE").toLowerCase();
}

function formatWindowLength({ starts_at = "", ends_at = "" }: MaintenanceWindow): string {
  return formatDuration((Date.parse(ends_at) - Date.parse(starts_at)) / 1000);
}

function RefList({ refs }: { readonly refs: readonly string[] }) {
  return (
    <ul class="plain-list">
      {refs.map((ref) => (
        <li key={ref}>
          <RefLink to={ref} label={formatRef(ref)} />
        </li>
      ))}
    </ul>
  );
}

/** Run sheet for printing, with a check box before each line. */
function RunSheet({ answer: { window, sheet } }: { readonly answer: GetWindowResponse }) {
  if (sheet.length === 0) return <EmptyText>A window that is {formatWindowState(window)} has no run sheet.</EmptyText>;
  return (
    <article class="run-sheet">
      {sheet.map(({ title, lines }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {lines.map((line) => (
              <li key={line}>
                <span>{line}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>
  );
}

/** Messages for the contacts whose devices lose power or redundancy. */
function ContactMessages({ notices }: Pick<GetWindowResponse, "notices">) {
  if (notices.length === 0) return null;
  return (
    <Card title="Texts to send">
      {notices.map(({ tenant, contact, subject, text }) => (
        <details key={`${tenant} ${contact}`}>
          <summary>{subject}</summary>
          <pre>{text}</pre>
        </details>
      ))}
    </Card>
  );
}
