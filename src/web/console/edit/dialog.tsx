import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../shared/icon.tsx";
import { useBackCloses } from "../../shared/use_back.ts";
import { editing } from "./editing.ts";

interface DialogProps {
  readonly title: string;
  /** Subtitle, in smaller letters. */
  readonly about?: string;
  /** The person leaves: by Escape, the cross or Cancel. */
  readonly leave: () => void;
  readonly children: ComponentChildren;
  readonly footer: ComponentChildren;
  /** Called on Ctrl+Enter. */
  readonly submit: () => void;
}

/** A dialog above the page: it keeps the focus and gives it back. */
export function EditDialog({ title, about, leave, children, footer, submit }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useBackCloses(true, leave);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // A cable that begins at a port asks for its other end.
    const ends = element?.querySelectorAll<HTMLInputElement>(".edit-form .end input:not([readonly])") ?? [];
    const open = [...ends].find(({ value }) => value === "");
    const first = element?.querySelector<HTMLElement>(".edit-form input:not([readonly]), .edit-form select");
    (open ?? first)?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="edit-dialog"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      // A browser closes a dialog that refuses Escape twice; the edit ends with it.
      onClose={({ currentTarget }) => currentTarget.isConnected && editing.close()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        submit();
      }}
    >
      <header>
        <h2 id="dialog-title">{title}</h2>
        {about === undefined || about === "" ? null : <span>{about}</span>}
        <button type="button" class="quiet square" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </header>
      {children}
      <footer>{footer}</footer>
    </dialog>
  );
}

/** The side of a dialog that says what it will do. It scrolls by itself, so the keyboard has to reach it. */
export function EditSide({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <section class="edit-side" tabIndex={0} aria-label="What this does">
      {children}
    </section>
  );
}

/** Cancel, and the button that does it. */
export function DialogButtons({
  leave,
  submit,
  label,
  disabled,
  cancel = "Cancel",
}: {
  readonly cancel?: string;
  readonly leave: () => void;
  readonly submit: () => void;
  readonly label: string;
  readonly disabled: boolean;
}) {
  return (
    <div class="dialog-buttons">
      <button type="button" onClick={leave}>
        {cancel} <kbd>Esc</kbd>
      </button>
      <button type="button" class="primary" disabled={disabled} onClick={submit}>
        {label} <kbd>Ctrl Enter</kbd>
      </button>
    </div>
  );
}

/** The reason of a change, for the change log. */
export function WhyField({ value, set }: { readonly value: string; readonly set: (text: string) => void }) {
  return (
    <div class="form-field">
      <label for="edit-why">Why (kept in the history)</label>
      <input
        id="edit-why"
        type="text"
        maxLength={200}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </div>
  );
}
