import type { GetWindowResponse, MaintenanceWindow } from "#gen/datacenter/v1/json.ts";
import { duration } from "#words/figures.ts";
import { enumWord, plainRefs } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { EditActions, EditButton, useMayWrite } from "../edit/edit_buttons.tsx";
import { factsOf } from "../edit/facts.ts";
import { refWords } from "../edit/refs_field.tsx";
import { linkTo, type Place } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";
import { Badge, Card, Facts, Moment, RefLink } from "../ui/parts.tsx";
import { Judgement } from "../windows/judgement.tsx";
import { runSheet } from "../windows/run_sheet.ts";
import { impactWord, spanWords, stateWords, Verdict } from "../windows/window_words.tsx";
import { ChangesOf } from "./latest_changes.tsx";

/** One maintenance window: whether it may take place, its state, and its run sheet. */
export function Window({ place }: { readonly place: Place }) {
  const code = place.subject;
  const asked = useCall("datacenter.v1.PlanningService/GetWindow", { code, max_items: 50 });
  const isSheet = place.settings.get("view") === "sheet";
  const { reply } = asked;
  return (
    <>
      <PageHead
        title={code}
        kind={reply === undefined ? "Window" : reply.window.title || "Window"}
        action={
          reply === undefined ? null : isSheet ? (
            <>
              <a class="button" href={linkTo("window", code)}>
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
      {useMayWrite()
        ? steps.map(([to, verb]) => (
            <EditButton
              key={to}
              edit={{ mode: "edit", kind: "window", identity: { code }, change: { state: `WINDOW_STATE_${to}` }, verb }}
            >
              {verb}…
            </EditButton>
          ))
        : null}
      <a class="button" href={linkTo("window", code, { view: "sheet" })}>
        Run sheet
      </a>
      <EditActions kind="window" identity={{ code }} />
    </>
  );
}

function Shown({ answer: { window, overdue, judgement } }: { readonly answer: GetWindowResponse }) {
  return (
    <>
      <div class="columns even">
        <Card title="May it take place?">
          {judgement === undefined ? (
            <p class="empty">A window that is {enumWord(window.state, "WINDOW_STATE").toLowerCase()} is not judged.</p>
          ) : (
            <Judgement judged={judgement} />
          )}
        </Card>
        <Card title="Plan" action={<Badge tone={overdue ? "fault" : "plain"}>{stateWords(window, overdue)}</Badge>}>
          <Facts
            rows={[
              ["When", `${spanWords(window)}, ${lengthWords(window)}`],
              ["Out of service", <Refs key="out" refs={window.element_refs} />],
              ["May be lost", window.accepted_refs.length === 0 ? "" : <Refs key="lost" refs={window.accepted_refs} />],
              ...factsOf("window", window, "owner contact notes"),
              ["Changed", window.update_time && <Moment key="changed" at={window.update_time} />],
            ]}
          />
        </Card>
      </div>
      <ChangesOf entity={`window:${window.code}`} />
    </>
  );
}

function lengthWords({ starts_at = "", ends_at = "" }: MaintenanceWindow): string {
  return duration((Date.parse(ends_at) - Date.parse(starts_at)) / 1000);
}

function Refs({ refs }: { readonly refs: readonly string[] }) {
  return (
    <ul class="plain-list">
      {refs.map((ref) => (
        <li key={ref}>
          <RefLink to={ref} label={refWords(ref)} />
        </li>
      ))}
    </ul>
  );
}

/** The run sheet, for paper: boxes to tick, and room for times. */
function Sheet({ answer: { window, overdue, judgement } }: { readonly answer: GetWindowResponse }) {
  const { owner, contact, notes } = window;
  return (
    <article class="run-sheet">
      <p>
        <strong>{spanWords(window)}</strong> ({lengthWords(window)}), {stateWords(window, overdue).toLowerCase()}.{" "}
        {[owner, contact].filter((text) => text !== "").join(", ")}
      </p>
      {judgement === undefined ? null : (
        <p>
          <Verdict verdict={judgement.verdict} /> {impactWord(judgement)}. {plainRefs(judgement.summary)}. As of{" "}
          <Moment at={new Date().toISOString()} />.
        </p>
      )}
      {notes === "" ? null : <p>{notes}</p>}
      {runSheet(window, judgement).map(({ title, steps }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ol>
            {steps.map((step) => (
              <li key={step}>
                <span>{step}</span>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </article>
  );
}
