import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Card, SpecPage } from "#planner/board/wire.ts";
import { Icon } from "../shared/marks.tsx";
import { changeBoardAddress, isWaitingForMerge, runCommand } from "./act.ts";
import { LabelledField, ModalDialog, splitWordList } from "./add_dialog.tsx";
import { ProblemBanner } from "./app_parts.tsx";
import { CriteriaList, DifferenceView, RunList, SpecLinks } from "./spec_parts.tsx";
import {
  boardStore,
  callTool,
  describeError,
  followLog,
  RequestError,
  readSpec,
  showMessage,
  useBoardPageState,
} from "./store.ts";

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

/** Maximum number of drawn lines: the last ones, or the last ones that match the search. */
const MAX_LINES = 2000;

/** The log of a spec. It scrolls with new lines until the person stops it, and can be searched. */
function LogView({ id, hasLog }: { readonly id: string; readonly hasLog: boolean }) {
  const { log } = useBoardPageState();
  const [follows, setFollows] = useState(true);
  const [searchText, setSearchText] = useState("");
  const frame = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (hasLog) followLog(id);
  }, [id, hasLog]);
  const text = log?.id === id ? log.text : "";
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const found =
    searchText === "" ? lines : lines.filter((line) => line.toLowerCase().includes(searchText.toLowerCase()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text moves the view
  useLayoutEffect(() => {
    if (follows && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [text, follows, searchText]);
  if (!hasLog) return null;
  return (
    <section class="log">
      <h3>Log</h3>
      <div class="actions">
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={searchText}
          onInput={({ currentTarget }) => setSearchText(currentTarget.value)}
        />
        <button type="button" aria-pressed={follows} onClick={() => setFollows(!follows)}>
          Follow
        </button>
        <span class="muted">
          {searchText === "" ? `${lines.length} lines` : `${found.length} of ${lines.length} lines`}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard */}
      <pre ref={frame} tabIndex={0} role="log" aria-label="Log" aria-live="off">
        {found.slice(-MAX_LINES).join("\n")}
      </pre>
    </section>
  );
}

interface EditDialogProps {
  readonly spec: SpecPage;
  readonly leave: () => void;
  readonly reload: () => void;
}

/** Dialog that edits a spec's fields and text. If another writer has changed the spec, shows the newer state. */
function EditDialog({ spec, leave, reload }: EditDialogProps) {
  const [base, setBase] = useState(spec);
  const [draft, setDraft] = useState(() => createDraft(spec));
  const [problem, setProblem] = useState<string>();
  const [theirs, setTheirs] = useState<EditDraft>();
  const bindField = (part: keyof EditDraft) => ({
    value: draft[part],
    set: (value: string) => setDraft((before) => ({ ...before, [part]: value })),
  });
  const change = createUpdateArguments(createDraft(base), draft);
  const saveChanges = async () => {
    try {
      const { text } = await callTool("update", { id: spec.id, ...change }, { seen: base.seen });
      showMessage({ tone: "ok", text });
      leave();
      reload();
    } catch (error) {
      setProblem(describeError(error));
      if (!(error instanceof RequestError) || !error.isConflict) return;
      const newer = await readSpec(spec.id);
      // Fields that this person did not change take the newer value.
      const [before, now] = [createDraft(base), createDraft(newer)];
      setDraft(
        (mine) =>
          Object.fromEntries(
            DRAFT_FIELDS.map((part) => [part, mine[part] === before[part] ? now[part] : mine[part]]),
          ) as unknown as EditDraft,
      );
      setTheirs(now);
      setBase(newer);
    }
  };
  const priorities = ["", ...(boardStore.view.data?.choices.priorities ?? [])];
  return (
    <ModalDialog
      title="Edit"
      leave={leave}
      submit={{ label: "Save", act: () => void saveChanges(), disabled: Object.keys(change).length === 0 }}
    >
      <ProblemBanner problem={problem} />
      {theirs === undefined ? null : (
        <details open>
          <summary>The newer state</summary>
          <pre>
            {DRAFT_FIELDS.filter((part) => theirs[part] !== "")
              .map((part) => `${FIELD_LABELS[part]}: ${theirs[part]}`)
              .join("\n")}
          </pre>
        </details>
      )}
      <div class="pair">
        <LabelledField label={FIELD_LABELS.priority} {...bindField("priority")} options={priorities} />
        <LabelledField label={FIELD_LABELS.due} type="date" {...bindField("due")} />
        <LabelledField label={FIELD_LABELS.assignee} {...bindField("assignee")} />
        <LabelledField label={FIELD_LABELS.labels} {...bindField("labels")} hint="With commas" />
        <LabelledField label={FIELD_LABELS.depends_on} {...bindField("depends_on")} hint="Ids, with commas" />
      </div>
      <LabelledField label={FIELD_LABELS.body} {...bindField("body")} rows={16} />
    </ModalDialog>
  );
}

const FIELD_LABELS = {
  priority: "Priority",
  due: "Due",
  assignee: "Assignee",
  labels: "Labels",
  depends_on: "Waits for",
  body: "Text",
} as const;

type EditDraft = Readonly<Record<keyof typeof FIELD_LABELS, string>>;

const DRAFT_FIELDS = Object.keys(FIELD_LABELS) as readonly (keyof EditDraft)[];

function createDraft(spec: SpecPage): EditDraft {
  return {
    priority: spec.priority ?? "",
    due: spec.due ?? "",
    assignee: spec.assignee ?? "",
    labels: spec.labels.join(", "),
    depends_on: spec.depends_on.map(({ id }) => id).join(", "),
    body: spec.body,
  };
}

/** Returns the arguments of the command `update` for the fields that differ between two drafts. */
function createUpdateArguments(before: EditDraft, after: EditDraft): object {
  const simple = (["priority", "due", "assignee"] as const).filter((part) => before[part] !== after[part]);
  const lists = (["labels", "depends_on"] as const).filter((part) => before[part] !== after[part]);
  return {
    ...Object.fromEntries(simple.map((part) => [part, after[part].trim()])),
    ...Object.fromEntries(lists.map((part) => [part, splitWordList(after[part])])),
    ...(before.body === after.body ? {} : { output: after.body, replace_body: true }),
  };
}

interface LoadedValue<Value> {
  /** The last loaded value, also after a failure. */
  readonly value?: Value;
  /** Message of the last failure; absent after a success. */
  readonly problem?: string;
}

/** Loads a value, and loads it again when the key changes; without a key, loads nothing. */
export function useLoadedValue<Value>(key: string | undefined, load: () => Promise<Value>): LoadedValue<Value> {
  const [loaded, setLoaded] = useState<LoadedValue<Value>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the value
  useEffect(() => {
    if (key === undefined) return undefined;
    let isCurrent = true;
    load().then(
      (value) => isCurrent && setLoaded({ value }),
      (error: unknown) => isCurrent && setLoaded((before) => ({ ...before, problem: describeError(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return loaded;
}
