import { useEffect, useState } from "preact/hooks";
import { useCurrentValue } from "../../shared/browser.ts";
import { createLazyComponent } from "../on_demand.tsx";
import { UndoButton } from "./dialogs.tsx";
import { type EditNotice, editStore } from "./form_model.ts";
import { EditDialog } from "./many_dialog.tsx";

/** Shows the open edit and the last edit's notice. It is outside the pages, which may change below an open dialog. */
export function EditHost() {
  const { edit, notice, round } = useCurrentValue(editStore.editState, editStore.subscribe);
  return (
    <>
      {edit === undefined ? null : <LazyEditDialog key={round} edit={edit} />}
      <NoticeBar notice={notice} />
    </>
  );
}

/** Edit dialog, loaded with the first edit. Its frame opens at once, so that keys do not reach the page. */
const LazyEditDialog = createLazyComponent(
  async () => (await import("./dialogs.tsx")).EditRequestDialog,
  ({ children }) => <EditDialog title="Opening…">{children}</EditDialog>,
);

/** Time in milliseconds that a notice stays, unless the pointer or the focus is in the notice. */
const NOTICE_MS = 8000;

/** Notice about the last change, with a button that undoes it. */
function NoticeBar({ notice }: { readonly notice: EditNotice | undefined }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (notice === undefined || isHeld) return;
    const timer = setTimeout(editStore.dismiss, NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice, isHeld]);
  return (
    <div
      class="done"
      role="status"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      {notice === undefined ? null : (
        <>
          <span>{notice.text}</span>
          <UndoButton requestId={notice.requestId} etags={notice.etags} label="Undo" />
          <button type="button" class="quiet" aria-label="Dismiss" onClick={editStore.dismiss}>
            ×
          </button>
        </>
      )}
    </div>
  );
}
