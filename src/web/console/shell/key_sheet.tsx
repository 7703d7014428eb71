import { useEffect, useRef } from "preact/hooks";
import { useCloseOnBack } from "../../shared/use_back.ts";
import { NAVIGATION_ITEMS } from "../navigation.ts";
import { SHORTCUTS } from "./keys.ts";

const PAGE_KEYS = NAVIGATION_ITEMS.flatMap(({ key, name }) => (key === undefined ? [] : `${key} ${name}`));

/** Dialog with every keyboard shortcut of the console, grouped by the place where it works. */
export function ShortcutDialog({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useCloseOnBack(open, close);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="key-sheet" onClose={close} aria-labelledby="help-title">
      <header>
        <h2 id="help-title">Keys</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      <div>
        {/* A closed dialog has no content, because its groups have the same names as fields of the page. */}
        {(open ? Object.entries(SHORTCUTS) : []).map(([group, keys]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl class="keys">
              {Object.entries(keys).map(([name, { shown, does }]) => (
                <div key={name}>
                  <dt>
                    <kbd>{shown}</kbd>
                  </dt>
                  <dd>
                    {does}
                    {name === "go" ? `: ${PAGE_KEYS.join(", ")}` : ""}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
