import type { GetWindowResponse, MaintenanceWindow } from "#gen/datacenter/v1/json.ts";
import { formatDuration } from "#words/figures.ts";
import { formatEnum } from "#words/names.ts";
import { shownWindow, useShownWindow } from "../api/during.ts";
import { useCall } from "../api/use_call.ts";
import { EditButton, useCanWrite } from "../edit/edit_buttons.tsx";
import { listFacts } from "../edit/facts.ts";
import { formatRef } from "../edit/refs_field.tsx";
import { formatPageUrl, type PageAddress } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";
import { Badge, Card, Empty, Facts, Moment, RefLink } from "../ui/parts.tsx";
import { Judgement } from "../windows/judgement.tsx";
import { spanWords, stateWords } from "../windows/window_words.tsx";
import { ChangesOf } from "./latest_changes.tsx";
import { ThingActions } from "./thing_actions.tsx";

/** Items of each list; a sheet is one page. */
const [ON_SCREEN, ON_PAPER] = [50, 10];

/** One maintenance window: whether it may take place, its state, and its run sheet. */
export function Window({ place }: { readonly place: PageAddress }) {
  const code = place.subject;
  const isSheet = place.settings.get("view") === "sheet";
  const max_items = isSheet ? ON_PAPER : ON_SCREEN;
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
      <Answer asked={asked}>{(answer) => (isSheet ? <Sheet answer={answer} /> : <Shown answer={answer} />)}</Answer>
    </>
  );
}

/** What may follow each state, with its button. */
const STEPS: Readonly<Record<string, readonly (readonly [state: string, verb: string])[]>> = {
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
  const steps = (STEPS[state] ?? []).filter(([to]) => !isAhead || to === "CANCELLED");
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
      {state === "WINDOW_STATE_PLANNED" || state === "WINDOW_STATE_BEGUN" ? <DuringButton code={code} /> : null}
      <a class="button" href={formatPageUrl("window", code, { view: "sheet" })}>
        Run sheet
      </a>
      <ThingActions edit={{ kind: "window", identity: { code } }} history={`window:${code}`} />
    </>
  );
}

/** Switches all pages to what they are during the window, and back. */
function DuringButton({ code }: { readonly code: string }) {
  const isOn = useShownWindow() === code;
  return (
    <button type="button" aria-pressed={isOn} onClick={() => shownWindow.set(isOn ? "" : code)}>
      Show as during it
    </button>
  );
}

function Shown({ answer: { window, overdue, judgement, time_zone, notices } }: { readonly answer: GetWindowResponse }) {
  const [here, onSite] = [spanWords(window), time_zone?.note === "" ? spanWords(window, time_zone.name) : ""];
  return (
    <>
      <div class="columns even">
        <Card title="May it take place?">
          {judgement === undefined ? (
            <Empty>A window that is {stateWord(window)} is not judged.</Empty>
          ) : (
            <Judgement judged={judgement} />
          )}
        </Card>
        <Card title="Plan" action={<Badge tone={overdue ? "fault" : "plain"}>{stateWords(window, overdue)}</Badge>}>
          <Facts
            rows={[
              ["When", `${here}, ${lengthWords(window)}`],
              ["On site", onSite === here ? "" : onSite],
              ["Out of service", <Refs key="out" refs={window.element_refs} />],
              ["May be lost", window.accepted_refs.length === 0 ? "" : <Refs key="lost" refs={window.accepted_refs} />],
              ...listFacts("window", window, "owner contact notes"),
              ["Changed", window.update_time && <Moment key="changed" at={window.update_time} />],
            ]}
          />
        </Card>
      </div>
      <Notices notices={notices} />
      <ChangesOf entity={`window:${window.code}`} />
    </>
  );
}

function stateWord({ state }: MaintenanceWindow): string {
  return formatEnum(state, "WINDOW_STATE").toLowerCase();
}

function lengthWords({ starts_at = "", ends_at = "" }: MaintenanceWindow): string {
  return formatDuration((Date.parse(ends_at) - Date.parse(starts_at)) / 1000);
}

function Refs({ refs }: { readonly refs: readonly string[] }) {
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

/** The run sheet, for paper, with a box to tick before each line. */
function Sheet({ answer: { window, sheet } }: { readonly answer: GetWindowResponse }) {
  if (sheet.length === 0) return <Empty>A window that is {stateWord(window)} has no run sheet.</Empty>;
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

/** What can be sent to those whose devices are lost or on their last supply. */
function Notices({ notices }: Pick<GetWindowResponse, "notices">) {
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
