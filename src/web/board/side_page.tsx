import { useState } from "preact/hooks";
import type { Card, SpecPage } from "#planner/board/wire.ts";
import { Icon } from "../shared/icon.tsx";
import { runCommand } from "./act.ts";
import { readSpec } from "./api.ts";
import { ProblemBanner } from "./app_parts.tsx";
import { LabelledField, ModalDialog } from "./dialog.tsx";
import { DifferenceView } from "./difference_view.tsx";
import { EditDialog } from "./edit_dialog.tsx";
import { LogView } from "./log_view.tsx";
import { isWaitingForMerge } from "./moves.ts";
import { changeBoardAddress } from "./place.ts";
import { CriteriaList, RunList, SpecLinks } from "./spec_parts.tsx";
import { useLoadedValue } from "./use_loaded.ts";

interface SpecSidePageProps {
  readonly id: string;
  /** Card of the spec; undefined for an archived spec or one that was done long ago. */
  readonly card: Card | undefined;
  readonly work: (card: Card) => void;
}

/** Page about one spec, next to the columns. Reads the spec again whenever its card changes. */
export function SpecSidePage({ id, card, work }: SpecSidePageProps) {
  const [dialog, setDialog] = useState<"edit" | "back">();
  const [turn, setTurn] = useState(0);
  const { value: spec, problem } = useLoadedValue(`${id} ${card?.version} ${turn}`, () => readSpec(id));
  const leave = () => setDialog(undefined);
  const reload = () => setTurn((before) => before + 1);
  return (
    <aside class="side" aria-label="Spec">
      <header class="head">
        <h2>{spec?.title ?? card?.title ?? id}</h2>
        <button type="button" class="quiet square" aria-label="Close" onClick={() => changeBoardAddress({ spec: "" })}>
          <Icon name="close" />
        </button>
      </header>
      <ProblemBanner problem={problem} />
      {spec === undefined ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
        <section class="side-body" tabIndex={0} aria-label="Details">
          <p class="muted">
            <code>{spec.id}</code> · {spec.status} · {spec.file}
          </p>
          <SpecActions spec={spec} card={card} work={work} open={setDialog} again={reload} />
          {card?.note == null ? null : <p class="banner watch">{card.note}</p>}
          {spec.diagnosis?.suggestion == null || spec.status === "pending" ? null : (
            <p class="hint">
              {spec.diagnosis.text} {spec.diagnosis.suggestion}
            </p>
          )}
          <SpecFields spec={spec} />
          <CriteriaList spec={spec} again={reload} />
          <SpecLinks title="Waits for" specs={spec.depends_on} />
          <SpecLinks title="Waits for this" specs={spec.dependents} />
          <SpecLinks title="Members" specs={spec.members} />
          <section>
            <h3>Text</h3>
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click */}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: only the links inside react */}
            <div
              class="text"
              // biome-ignore lint/security/noDangerouslySetInnerHtml: the server leaves out raw HTML, and the policy forbids scripts
              dangerouslySetInnerHTML={{ __html: spec.html }}
              onClick={openInNewTab}
            />
          </section>
          <DifferenceView difference={spec.difference} />
          <RunList spec={spec} />
          <LogView id={spec.id} hasLog={spec.has_log || card?.agent != null} />
        </section>
      )}
      {dialog === "edit" && spec !== undefined ? <EditDialog spec={spec} leave={leave} reload={reload} /> : null}
      {dialog === "back" ? <SendBackDialog id={id} leave={leave} again={reload} /> : null}
    </aside>
  );
}

/** Opens a link in the spec's text in a new tab, so that the board stays open. */
function openInNewTab(event: MouseEvent): void {
  const href = (event.target as HTMLElement).closest("a")?.getAttribute("href");
  if (href == null) return;
  event.preventDefault();
  if (/^https?:/.test(href)) window.open(href, "_blank", "noopener,noreferrer");
}

interface SpecActionsProps {
  readonly spec: SpecPage;
  readonly card: Card | undefined;
  readonly work: (card: Card) => void;
  readonly open: (dialog: "edit" | "back") => void;
  readonly again: () => void;
}

/** Buttons for the actions that the spec's state allows. The server checks each action again. */
function SpecActions({ spec, card, work, open, again }: SpecActionsProps) {
  const { id, status, seen, archived } = spec;
  if (archived) return <p class="hint">Archived: it can only be read.</p>;
  const createCommandHandler =
    (tool: string, undo: object | null = null) =>
    () =>
      void runCommand(tool, { id }, { seen: { seen }, undo }).then(again);
  const isLive = card?.agent != null;
  const isOpen = !["completed", "cancelled"].includes(status);
  return (
    <div class="actions">
      {card !== undefined && isWaitingForMerge(card) ? (
        <button type="button" class="primary" onClick={createCommandHandler("accept")}>
          Accept and merge
        </button>
      ) : null}
      {card?.need == null ? null : (
        <>
          <button type="button" onClick={() => open("back")}>
            Send back
          </button>
          <button type="button" onClick={createCommandHandler("reject")}>
            Reject
          </button>
        </>
      )}
      {isLive || !isOpen || card === undefined ? null : (
        <button type="button" class={isWaitingForMerge(card) ? "" : "primary"} onClick={() => work(card)}>
          {status === "pending" ? "Start an agent" : "Continue with an agent"}
        </button>
      )}
      {isLive ? (
        <>
          <button type="button" onClick={createCommandHandler("pause")}>
            Pause
          </button>
          <button type="button" onClick={createCommandHandler("takeover")}>
            Take over
          </button>
        </>
      ) : null}
      <button type="button" onClick={() => open("edit")}>
        Edit
      </button>
      {isOpen && status !== "pending" && status !== "blocked" && !isLive ? (
        <>
          <button type="button" onClick={createCommandHandler("finalize", { id, status })}>
            Finalize
          </button>
          <button type="button" onClick={createCommandHandler("reset", { id, status })}>
            Set ready
          </button>
        </>
      ) : null}
      {isOpen ? (
        <button type="button" onClick={createCommandHandler("cancel", { id, status: "pending" })}>
          Cancel it
        </button>
      ) : null}
      {status === "completed" ? (
        <button type="button" onClick={createCommandHandler("archive")}>
          Archive
        </button>
      ) : null}
    </div>
  );
}

function SpecFields({ spec }: { readonly spec: SpecPage }) {
  const rows = [
    ["Type", spec.type],
    ["Priority", spec.priority],
    ["Due", spec.due],
    ["Assignee", spec.assignee],
    ["Labels", spec.labels.join(", ")],
    ["Branch", spec.worktree?.branch],
    ["Worktree", spec.worktree?.path],
  ].filter((row): row is [string, string] => Boolean(row[1]));
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SendBackDialogProps {
  readonly id: string;
  readonly leave: () => void;
  readonly again: () => void;
}

/** Dialog that sends work back to the agent with a text, as `planner review --back` does. */
function SendBackDialog({ id, leave, again }: SendBackDialogProps) {
  const [text, setText] = useState("");
  const sendText = () => {
    leave();
    void runCommand("back", { id, text }).then(again);
  };
  return (
    <ModalDialog
      title="Send back"
      leave={leave}
      submit={{ label: "Send back", act: sendText, disabled: text.trim() === "" }}
    >
      <LabelledField
        label="What is to be done"
        value={text}
        set={setText}
        rows={8}
        hint="It stands under Review in the spec. The spec becomes ready, and the next run reads it."
      />
    </ModalDialog>
  );
}
