import { useState } from "preact/hooks";
import { convertToCallError, readJsonRoute } from "../api/client.ts";
import type { AuditEntry, HistoryReply } from "../api/replies.ts";
import { callWithSignIn } from "../api/sign_in.ts";
import { useCanWrite } from "./edit_buttons.tsx";
import { type EtagsByRef, editStore } from "./editing.ts";

/**
 * Opens the dialog that undoes all changes of a request.
 * @param etags versions after the request, if they are known
 * @throws CallError if the request's log entries cannot be read
 */
async function openUndoDialog(requestId: string, etags: EtagsByRef): Promise<void> {
  const entries: AuditEntry[] = [];
  let page_token = "";
  do {
    const page = await callWithSignIn(() =>
      readJsonRoute<HistoryReply>("/audit/history", { request_id: requestId, page_size: "1000", page_token }),
    );
    entries.push(...page.entries);
    page_token = page.next_page_token;
  } while (page_token !== "");
  editStore.open({ mode: "undo", entries, etags });
}

const NO_ETAGS: EtagsByRef = new Map();

/** Button that undoes a request, for people who may write. */
export function UndoButton(props: { readonly requestId: string; readonly label: string; readonly etags?: EtagsByRef }) {
  const { requestId, label, etags = NO_ETAGS } = props;
  const [problem, setProblem] = useState("");
  if (!useCanWrite() || requestId === "") return null;
  const openDialog = () =>
    openUndoDialog(requestId, etags).catch((error: unknown) => setProblem(convertToCallError(error).message));
  return (
    <>
      <button type="button" onClick={() => void openDialog()}>
        {label}
      </button>
      {problem === "" ? null : <span role="alert">{problem}</span>}
    </>
  );
}
