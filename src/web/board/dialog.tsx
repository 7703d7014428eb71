import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "../shared/icon.tsx";

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
