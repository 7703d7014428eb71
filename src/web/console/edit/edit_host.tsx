import { useEffect, useState } from "preact/hooks";
import { DeleteDialog } from "./delete_dialog.tsx";
import { type Edit, editing, type Notice } from "./editing.ts";
import { ManyDialog } from "./many_dialog.tsx";
import { ResourceDialog } from "./resource_dialog.tsx";
import { UndoButton } from "./undo.tsx";
import { UndoDialog } from "./undo_dialog.tsx";

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

function Dialog({ edit }: { readonly edit: Edit }) {
  switch (edit.mode) {
    case "delete":
      return <DeleteDialog edit={edit} />;
    case "undo":
      return <UndoDialog edit={edit} />;
    case "many":
    case "delete-many":
      return <ManyDialog edit={edit} />;
    default:
      return <ResourceDialog edit={edit} />;
  }
}

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
