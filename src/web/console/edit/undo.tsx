import { useState } from "preact/hooks";
import { callError, read } from "../api/client.ts";
import type { AuditEntry, HistoryAnswer } from "../api/replies.ts";
import { signedIn } from "../api/sign_in.ts";
import { useMayWrite } from "./edit_buttons.tsx";
import { type Etags, editing } from "./editing.ts";

/**
 * Opens the undo of one request, with all that it changed.
 * @param etags versions after the request, where they are known
 * @throws CallError when its entries cannot be read
 */
async function openUndo(requestId: string, etags: Etags): Promise<void> {
  const entries: AuditEntry[] = [];
  let page_token = "";
  do {
    const page = await signedIn(() =>
      read<HistoryAnswer>("/audit/history", { request_id: requestId, page_size: "1000", page_token }),
    );
    entries.push(...page.entries);
    page_token = page.next_page_token;
  } while (page_token !== "");
  editing.open({ mode: "undo", entries, etags });
}

const NONE: Etags = new Map();

/** Takes a request back, for those who may write. */
export function UndoButton({
  requestId,
  label,
  etags = NONE,
}: {
  readonly requestId: string;
  readonly label: string;
  readonly etags?: Etags;
}) {
  const [problem, setProblem] = useState("");
  if (!useMayWrite() || requestId === "") return null;
  const open = () => openUndo(requestId, etags).catch((error: unknown) => setProblem(callError(error).message));
  return (
    <>
      <button type="button" onClick={() => void open()}>
        {label}
      </button>
      {problem === "" ? null : <span role="alert">{problem}</span>}
    </>
  );
}
