import { useEffect, useState } from "preact/hooks";
import { CallError, read } from "../api/client.ts";
import type { HistoryAnswer } from "../api/replies.ts";
import { signedIn } from "../api/sign_in.ts";
import { DeleteDialog } from "./delete_dialog.tsx";
import { type Edit, editing, type Notice } from "./editing.ts";
import { ManyDialog } from "./many_dialog.tsx";
import { ResourceDialog } from "./resource_dialog.tsx";
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

/** What was done, with the way back. */
function Done({ notice }: { readonly notice: Notice | undefined }) {
  const [problem, setProblem] = useState("");
  const undo = async () => {
    try {
      await openUndo(notice?.requestId ?? "");
    } catch (error) {
      setProblem(error instanceof CallError ? error.message : "The change log could not be read");
    }
  };
  return (
    <div class="done" role="status">
      {notice === undefined ? null : (
        <>
          <span>{problem === "" ? notice.text : problem}</span>
          {notice.requestId === "" ? null : (
            <button type="button" onClick={() => void undo()}>
              Undo
            </button>
          )}
          <button type="button" class="quiet" aria-label="Dismiss" onClick={editing.dismiss}>
            ×
          </button>
        </>
      )}
    </div>
  );
}

/** Opens the undo of one request. @throws CallError when its entries cannot be read */
export async function openUndo(requestId: string): Promise<void> {
  const entries: HistoryAnswer["entries"][number][] = [];
  let page_token = "";
  do {
    const page = await signedIn(() =>
      read<HistoryAnswer>("/audit/history", { request_id: requestId, page_size: "1000", page_token }),
    );
    entries.push(...page.entries);
    page_token = page.next_page_token;
  } while (page_token !== "");
  editing.open({ mode: "undo", entries });
}
