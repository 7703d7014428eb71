import { useEffect, useRef, useState } from "preact/hooks";
import { CallError, convertToCallError, inventoryWriteListeners } from "../api/client.ts";
import { formatQuantity } from "../labels.ts";
import { addChangeListener } from "../live/changes.ts";
import { editStore } from "./form_model.ts";
import {
  applyChanges,
  type ChangesPreview,
  getChangeRef,
  previewChanges,
  type RefusedChange,
  type ResourceChange,
  type WriteResult,
} from "./proposal.ts";

/** Delay in milliseconds between the last edit of a proposal and its preview. */
const PREVIEW_DELAY_MS = 250;
/** Delay in milliseconds before a request to an unreachable server is repeated. */
const RETRY_DELAY_MS = 1000;

/** Refusal reasons that mean that the stored state differs from the state that the proposal expects. */
const STALE_STATE_REASONS: ReadonlySet<string> = new Set(["ETAG_MISMATCH", "ALREADY_STORED", "NOT_FOUND"]);

export interface ProposalOptions {
  /** Changes to write; undefined while there are none. */
  readonly changes: readonly ResourceChange[] | undefined;
  /** Whether the accepted changes are written even if others are refused. */
  readonly isPartial?: boolean;
  /** Loads the stored state again if it differs from the one that the changes expect. @throws CallError. */
  readonly reread?: (() => Promise<void>) | undefined;
  /** Returns the text of the notice about a successful write. */
  readonly formatNotice: (written: WriteResult) => string;
}

/** Changes that a person prepares, with their preview and the function that writes them. */
export interface ChangeProposal {
  /**
   * "none" if there is nothing to check; "away" if the server is unreachable; "refused" if it would reject the write.
   */
  readonly state: "none" | "checking" | "away" | "allowed" | "refused";
  /** Effects of the changes; while they are being checked, the effects of earlier ones. */
  readonly preview: ChangesPreview | undefined;
  /** Number of changes checked so far. */
  readonly checked: number;
  /** Errors for which the service would reject the write. */
  readonly errors: readonly CallError[];
  /** Number of changes written so far; undefined if nothing is being written. */
  readonly progress: number | undefined;
  /** Error of the last write; undefined if it succeeded. */
  readonly problem: CallError | undefined;
  readonly canWrite: boolean;
  /**
   * Writes the changes, closes the dialog with a notice that offers an undo, and reloads the page's data.
   * @returns whether the write succeeded
   */
  readonly write: (message: string) => Promise<boolean>;
}

interface PreviewState {
  readonly key: string;
  readonly preview?: ChangesPreview;
  readonly error?: CallError;
}

/** Manages changes from their preview to the write, its notice and its undo. Nothing is written before `write`. */
export function useProposal({ changes, isPartial = false, reread, formatNotice }: ProposalOptions): ChangeProposal {
  const [problem, setProblem] = useState<CallError>();
  const [round, setRound] = useState(0);
  const changesJson = changes === undefined || changes.length === 0 ? "" : JSON.stringify(changes);
  // The error of an earlier draft does not apply to this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the changes
  useEffect(() => setProblem(undefined), [changesJson]);
  const showError = (error: unknown) => setProblem(convertToCallError(error));
  /** Loads the stored state again if one of the given refusals requires it. */
  const rereadIfStale = (refused: readonly RefusedChange[]): boolean => {
    if (reread === undefined || !refused.some(({ error }) => STALE_STATE_REASONS.has(error.reason))) return false;
    reread().catch(showError);
    return true;
  };
  const key = changesJson === "" ? "" : `${round} ${changesJson}`;
  const { found, checked } = useChangesPreview(changes ?? [], key, rereadIfStale);
  const { progress, writeChanges } = useChangesWrite();
  // A change by another person starts a new check at once, before this draft is saved.
  const isWriting = progress !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the changes
  useEffect(() => {
    if (changesJson === "" || isWriting) return undefined;
    const refs = new Set(changes?.map(getChangeRef));
    return addChangeListener((ref) => refs.has(ref) && setRound((one) => one + 1));
  }, [changesJson, isWriting]);
  // Repeated requests for the same changes keep the last result, so that no button is disabled during a click.
  const isAnswered = found.key.slice(found.key.indexOf(" ") + 1) === changesJson;
  const state = key === "" ? "none" : isAnswered ? computeProposalState(found, isPartial) : "checking";
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failed request starts a new timer
  useEffect(() => {
    const timer = state === "away" ? setTimeout(() => setRound((one) => one + 1), RETRY_DELAY_MS) : undefined;
    return () => clearTimeout(timer);
  }, [state, found]);
  const canWrite = state === "allowed" && progress === undefined;

  const write = async (message: string): Promise<boolean> => {
    if (!canWrite || changes === undefined) return false;
    setProblem(undefined);
    try {
      const refusedIndexes = new Set(found.preview?.refused.map(({ index }) => index));
      const result = await writeChanges(
        changes.filter((_, index) => !refusedIndexes.has(index)),
        message,
      );
      if (result.refused.length === 0) {
        editStore.close({ text: formatNotice(result), requestId: result.requestId, etags: result.etags });
        return true;
      }
      if (!rereadIfStale(result.refused)) {
        showError(createWriteError(result));
        setRound((one) => one + 1);
      }
    } catch (error) {
      showError(error);
    }
    return false;
  };
  return {
    state,
    preview: key === "" ? undefined : found.preview,
    checked,
    errors: state === "checking" || state === "away" ? [] : listProposalErrors(found),
    progress,
    problem,
    canWrite,
    write,
  };
}

function listProposalErrors({ preview, error }: PreviewState): readonly CallError[] {
  return error === undefined ? (preview?.refused ?? []).map((one) => one.error) : [error];
}

function computeProposalState(found: PreviewState, isPartial: boolean): "away" | "allowed" | "refused" {
  if (found.error?.code === "offline") return "away";
  const isRefused =
    isPartial && found.preview !== undefined ? found.preview.changed === 0 : listProposalErrors(found).length > 0;
  return isRefused ? "refused" : "allowed";
}

/**
 * Previews the changes after a short time without an edit; requests nothing if the key is "".
 * @param onRefused called with the refused changes
 */
function useChangesPreview(
  changes: readonly ResourceChange[],
  key: string,
  onRefused: (refused: readonly RefusedChange[]) => void,
) {
  const [found, setFound] = useState<PreviewState>({ key: "" });
  const [progress, setProgress] = useState({ key: "", checked: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the changes
  useEffect(() => {
    if (key === "") {
      setFound({ key: "" });
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      const count = (checked: number) => signal.aborted || setProgress({ key, checked });
      previewChanges(changes, signal, count).then(
        (preview) => {
          if (signal.aborted) return;
          setFound({ key, preview });
          onRefused(preview.refused);
        },
        (error: unknown) => signal.aborted || setFound({ key, error: convertToCallError(error) }),
      );
    }, PREVIEW_DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return { found, checked: progress.key === key ? progress.checked : 0 };
}

/** Writes changes; reloads the page's data if any was written. A write's attempts share one request id. */
function useChangesWrite() {
  const [progress, setProgress] = useState<number>();
  // The id prevents a second write if the reply to the first one was lost.
  const request = useRef({ key: "", id: "" });
  const writeChanges = async (changes: readonly ResourceChange[], message: string): Promise<WriteResult> => {
    const key = JSON.stringify([changes, message]);
    if (request.current.key !== key) request.current = { key, id: crypto.randomUUID() };
    setProgress(0);
    try {
      const { id } = request.current;
      const result = await applyChanges(changes, { message, requestId: id, reportProgress: setProgress });
      if (result.done > 0) inventoryWriteListeners.notify();
      // The service caches its reply by id, so that another attempt after a refusal needs a new id.
      request.current = { key: "", id: "" };
      return result;
    } finally {
      setProgress(undefined);
    }
  };
  return { progress, writeChanges };
}

function createWriteError({ refused: [first], done }: WriteResult): CallError {
  const error = first?.error ?? convertToCallError(undefined);
  if (done === 0) return error;
  return new CallError(
    error.code,
    `${formatQuantity(done, "change")} were written, then this was refused: ${error.message}`,
  );
}
