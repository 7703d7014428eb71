import { useEffect, useState } from "preact/hooks";
import { onDemand } from "../on_demand.tsx";
import { EditDialog } from "./dialog.tsx";
import { editing, type Notice } from "./editing.ts";
import { UndoButton } from "./undo.tsx";

/** Shows the edit that is open and what was done last, beside the pages: they may change below an open dialog. */
export function EditHost() {
  const [{ edit, notice, round }, setState] = useState(editing.state());
  useEffect(() => editing.subscribe(() => setState(editing.state())), []);
  return (
    <>
      {edit === undefined ? null : <Dialog key={round} edit={edit} />}
      <Done notice={notice} />
    </>
  );
}

/** What every edit needs is loaded with the first one; its dialog opens at once, so that no key goes to the page below. */
const Dialog = onDemand(
  async () => (await import("./dialogs.tsx")).Dialog,
  ({ children }) => (
    <EditDialog title="Opening…" leave={editing.close} submit={() => undefined} footer={null}>
      {children}
    </EditDialog>
  ),
);

/** How long a notice stays, unless the pointer or the focus is in it. */
const NOTICE_MS = 8000;

/** What was done, with the way back. */
function Done({ notice }: { readonly notice: Notice | undefined }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (notice === undefined || isHeld) return;
    const timer = setTimeout(editing.dismiss, NOTICE_MS);
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
          <button type="button" class="quiet" aria-label="Dismiss" onClick={editing.dismiss}>
            ×
          </button>
        </>
      )}
    </div>
  );
}
