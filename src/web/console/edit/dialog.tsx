import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../shared/icon.tsx";
import { useCloseOnBack } from "../../shared/use_back.ts";
import { editStore } from "./editing.ts";

interface SubmitButton {
  readonly label: string;
  readonly disabled: boolean;
  /** Label of the button that leaves the dialog. */
  readonly cancel?: string;
}

interface DialogProps {
  readonly title: string;
  /** Subtitle in a smaller font. */
  readonly about?: string;
  /** Called when the person leaves by Escape, the close button or Cancel; by default, closes the open edit. */
  readonly leave?: () => void;
  readonly children: ComponentChildren;
  /** Text beside the buttons. */
  readonly notes?: ComponentChildren;
  /** Submits the dialog; called on Ctrl+Enter and by the submit button. */
  readonly submit?: () => void;
  /** The submit button; a dialog without it has no Cancel button either. */
  readonly button?: SubmitButton;
}

const closeEdit = () => editStore.close();

/** A modal edit dialog. It keeps the focus while it is open and restores it afterwards. */
export function EditDialog({ title, about, leave = closeEdit, children, notes, submit, button }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useCloseOnBack(true, leave);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // For a cable that starts at a known port, the empty field of its other end gets the focus.
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
      // A browser closes a dialog at the second Escape, even if the first was prevented; the edit then ends.
      onClose={({ currentTarget }) => currentTarget.isConnected && editStore.close()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        submit?.();
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
      <footer>
        {notes}
        {button === undefined ? null : (
          <div class="dialog-buttons">
            <button type="button" onClick={leave}>
              {button.cancel ?? "Cancel"} <kbd>Esc</kbd>
            </button>
            <button type="button" class="primary" disabled={button.disabled} onClick={submit}>
              {button.label} <kbd>Ctrl Enter</kbd>
            </button>
          </div>
        )}
      </footer>
    </dialog>
  );
}

/** Side panel with the effects of a dialog. It can be focused, because it scrolls separately. */
export function EditSidePanel({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <section class="edit-side" tabIndex={0} aria-label="What this does">
      {children}
    </section>
  );
}

/** Field for the reason of a change, which the change log stores. */
export function ReasonField({ value, set }: { readonly value: string; readonly set: (text: string) => void }) {
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
