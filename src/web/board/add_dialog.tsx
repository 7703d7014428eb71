import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { BoardChoices } from "#planner/board/wire.ts";
import { Icon } from "../shared/marks.tsx";
import { changeBoardAddress } from "./act.ts";
import { ProblemBanner } from "./app_parts.tsx";
import { callTool, describeError, showMessage } from "./store.ts";

const EMPTY_DRAFT = {
  title: "",
  text: "",
  criteria: "",
  template: "",
  priority: "",
  labels: "",
  assignee: "",
  due: "",
  depends_on: "",
};

type SpecDraft = Readonly<typeof EMPTY_DRAFT>;

/** Dialog that adds a spec, as `planner add` does. */
export function AddDialog(props: { readonly choices: BoardChoices | undefined; readonly leave: () => void }) {
  const { choices, leave } = props;
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [problem, setProblem] = useState<string>();
  const bindField = (part: keyof SpecDraft) => ({
    value: draft[part],
    set: (value: string) => setDraft((before) => ({ ...before, [part]: value })),
  });
  const addSpec = async () => {
    try {
      const { text, spec_id } = await callTool("add", createAddArguments(draft));
      showMessage({ tone: "ok", text: text.startsWith("{") ? `Created spec: ${spec_id}` : text });
      leave();
      if (spec_id !== null) changeBoardAddress({ spec: spec_id });
    } catch (error) {
      setProblem(describeError(error));
    }
  };
  return (
    <ModalDialog
      title="Add a spec"
      leave={leave}
      submit={{ label: "Add", act: () => void addSpec(), disabled: draft.title.trim() === "" }}
    >
      <ProblemBanner problem={problem} />
      <LabelledField label="Title" {...bindField("title")} />
      <LabelledField label="Text" {...bindField("text")} rows={5} />
      <LabelledField
        label="Criteria"
        {...bindField("criteria")}
        rows={4}
        hint="One a line. A command that proves it goes behind “ => ”; it runs once you have accepted it in a terminal."
      />
      <div class="pair">
        <LabelledField label="Priority" {...bindField("priority")} options={["", ...(choices?.priorities ?? [])]} />
        {(choices?.templates.length ?? 0) === 0 ? null : (
          <LabelledField label="Template" {...bindField("template")} options={["", ...(choices?.templates ?? [])]} />
        )}
        <LabelledField label="Due" type="date" {...bindField("due")} />
        <LabelledField label="Assignee" {...bindField("assignee")} />
        <LabelledField label="Labels" {...bindField("labels")} hint="With commas" />
        <LabelledField label="Waits for" {...bindField("depends_on")} hint="Ids, with commas" />
      </div>
    </ModalDialog>
  );
}

/** Returns the arguments of the command `add` for a draft; empty arguments are omitted. */
function createAddArguments({ title, text, criteria, labels, depends_on, ...simple }: SpecDraft): object {
  const lines = criteria.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const at = line.lastIndexOf(" => ");
    return at === -1 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 4).trim()];
  });
  const checks = pairs.map(([, check = ""]) => check);
  const given = {
    ...simple,
    title: title.trim(),
    description: text.trim() === "" ? title.trim() : text,
    ...(pairs.length === 0 ? {} : { criteria: pairs.map(([criterion]) => criterion) }),
    ...(checks.some((check) => check !== "") ? { checks } : {}),
    ...(splitWordList(labels).length === 0 ? {} : { labels: splitWordList(labels) }),
    ...(splitWordList(depends_on).length === 0 ? {} : { depends_on: splitWordList(depends_on) }),
  };
  // If only a title is given, it becomes the description and no title is sent.
  const { title: named, ...rest } = given;
  return dropEmptyValues(text.trim() === "" ? rest : { ...rest, title: named });
}

function dropEmptyValues(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}

interface DialogProps {
  readonly title: string;
  readonly leave: () => void;
  readonly children: ComponentChildren;
  /** Label and action of the submit button; absent for a dialog that only shows something. */
  readonly submit?: { readonly label: string; readonly act: () => void; readonly disabled?: boolean };
}

/** A modal dialog. It keeps the focus while it is open and restores it afterwards. */
export function ModalDialog({ title, leave, children, submit }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("input, select, textarea")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onCancel={leave}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (submit !== undefined && submit.disabled !== true) submit.act();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <header class="head">
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="quiet square" aria-label="Close" onClick={leave}>
            <Icon name="close" />
          </button>
        </header>
        {children}
        {submit === undefined ? null : (
          <footer>
            <button type="button" onClick={leave}>
              Cancel <kbd>Esc</kbd>
            </button>
            <button type="submit" class="primary" disabled={submit.disabled}>
              {submit.label} <kbd>Ctrl Enter</kbd>
            </button>
          </footer>
        )}
      </form>
    </dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly type?: "text" | "date" | "number";
  readonly hint?: string;
  readonly options?: readonly string[];
  /** Number of text lines; if set, the field is a text area. */
  readonly rows?: number;
}

/** A labelled field: a text line, a choice or a text area. */
export function LabelledField(props: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <FieldControl {...props} id={id} />
      {props.hint === undefined ? null : <small>{props.hint}</small>}
    </div>
  );
}

function FieldControl({ id, value, set, type = "text", options, rows }: FieldProps & { readonly id: string }) {
  if (options !== undefined) {
    return (
      <select id={id} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option === "" ? "none" : option}
          </option>
        ))}
      </select>
    );
  }
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    set(currentTarget.value);
  if (rows !== undefined) return <textarea id={id} rows={rows} value={value} onInput={onInput} />;
  if (type === "number") return <input id={id} type="number" min="0" step="any" value={value} onInput={onInput} />;
  return type === "date" ? (
    <input id={id} type="date" value={value} onInput={onInput} />
  ) : (
    <input id={id} type="text" value={value} onInput={onInput} />
  );
}

/** Splits a list at commas and white space. */
export function splitWordList(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter((word) => word !== "");
}
