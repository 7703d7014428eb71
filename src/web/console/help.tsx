import { useEffect, useRef } from "preact/hooks";
import { NAVIGATION_ITEMS } from "./navigation.ts";
import { useBackCloses } from "./ui/use_back.ts";

const KEYS = [
  ["Ctrl K or /", "search, or jump to a page"],
  [">", "search the actions"],
  [
    "G, then a letter",
    `go to ${NAVIGATION_ITEMS.flatMap(({ key, name }) => (key === undefined ? [] : `${key} ${name}`)).join(", ")}`,
  ],
  ["F", "go to the first filter"],
  ["J K, or ↑ ↓ in a table", "go from row to row"],
  ["← ↑ → ↓, in a picture", "go from element to element"],
  ["Enter", "open what is marked"],
  ["Tab, Shift Tab", "go from part to part"],
  ["Alt ←", "go back"],
  ["Esc", "leave a field, close a dialog"],
  ["?", "show the keys"],
] as const;

export function HelpDialog({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useBackCloses(open, close);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
