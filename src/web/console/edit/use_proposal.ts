import { useEffect, useRef, useState } from "preact/hooks";
import { CallError, callError } from "../api/client.ts";
import { written } from "../api/written.ts";
import { countOf } from "../labels.ts";
import { onChange } from "../live/changes.ts";
import { type Change, refOf } from "./changes.ts";
import { editing } from "./editing.ts";
import { applyChanges, type Preview, previewChanges, type Refused, type Written } from "./proposal.ts";

/** Milliseconds without a change after which the service is asked about a proposal. */
const PAUSE_MS = 250;
/** Milliseconds after which a server that did not answer is asked again. */
const AGAIN_MS = 1000;

/** Reasons that say that something else is stored than the proposal expects. */
const STALE: ReadonlySet<string> = new Set(["ETAG_MISMATCH", "ALREADY_STORED", "NOT_FOUND"]);

export interface ProposalOptions {
  /** Undefined while there is nothing that could be written. */
  readonly changes: readonly Change[] | undefined;
  /** Whether changes that are refused are left out, and the others are written. */
  readonly isPartial?: boolean;
  /** Reads again what is stored, when it is something else than the changes expect. @throws CallError */
  readonly reread?: (() => Promise<void>) | undefined;
  /** What the notice says of a write that succeeded. */
  readonly done: (written: Written) => string;
}

/** Changes that a person prepares: what they would do, and how they are written. */
export interface Proposal {
  /** "none" if there is nothing to check; "away" if the server does not answer; "refused" if it would not accept the write. */
  readonly state: "none" | "checking" | "away" | "allowed" | "refused";
  /** What the changes would do; while they are checked, what earlier ones would. */
  readonly preview: Preview | undefined;
  /** Changes checked so far, while they are. */
  readonly checked: number;
  /** Why the write would not be accepted. */
  readonly errors: readonly CallError[];
  /** Changes written so far; undefined if nothing is being written. */
  readonly progress: number | undefined;
  /** Why the last write failed. */
  readonly problem: CallError | undefined;
  readonly canWrite: boolean;
  /** Writes, closes the dialog with a notice that offers an undo, and has the page ask again. @returns whether it did */
  readonly write: (message: string) => Promise<boolean>;
}

interface Found {
  readonly key: string;
  readonly preview?: Preview;
  readonly error?: CallError;
}

/** Follows changes from their check to the write, its notice and its undo. Nothing is written before `write`. */
export function useProposal({ changes, isPartial = false, reread, done }: ProposalOptions): Proposal {
  const [problem, setProblem] = useState<CallError>();
  const [round, setRound] = useState(0);
  const asked = changes === undefined || changes.length === 0 ? "" : JSON.stringify(changes);
  // What another draft failed with says nothing about this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the changes
  useEffect(() => setProblem(undefined), [asked]);
  const fail = (error: unknown) => setProblem(callError(error));
  /** Reads again what is stored if one of these refusals asks for that. */
  const meet = (refused: readonly Refused[]): boolean => {
    if (reread === undefined || !refused.some(({ error }) => STALE.has(error.reason))) return false;
    reread().catch(fail);
    return true;
  };
  const key = asked === "" ? "" : `${round} ${asked}`;
  const { found, checked } = usePreview(changes ?? [], key, meet);
  const { progress, send } = useWrite();
  // Someone else's change is met when it happens, not when this one is saved.
  const isWriting = progress !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the changes
  useEffect(() => {
    if (asked === "" || isWriting) return undefined;
    const refs = new Set(changes?.map(refOf));
    return onChange((ref) => refs.has(ref) && setRound((one) => one + 1));
  }, [asked, isWriting]);
  // The same changes asked about once more keep their answer until the next one, so that no button fails under a click.
  const isAnswered = found.key.slice(found.key.indexOf(" ") + 1) === asked;
  const state = key === "" ? "none" : isAnswered ? stateOf(found, isPartial) : "checking";
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer that fails asks once more
  useEffect(() => {
    const timer = state === "away" ? setTimeout(() => setRound((one) => one + 1), AGAIN_MS) : undefined;
    return () => clearTimeout(timer);
  }, [state, found]);
  const canWrite = state === "allowed" && progress === undefined;

  const write = async (message: string): Promise<boolean> => {
    if (!canWrite || changes === undefined) return false;
    setProblem(undefined);
    try {
      const out = new Set(found.preview?.refused.map(({ index }) => index));
      const result = await send(
        changes.filter((_, index) => !out.has(index)),
        message,
      );
      if (result.refused.length === 0) {
        editing.close({ text: done(result), requestId: result.requestId, etags: result.etags });
        return true;
      }
      if (!meet(result.refused)) {
        fail(refusalOf(result));
        setRound((one) => one + 1);
      }
    } catch (error) {
      fail(error);
    }
    return false;
  };
  return {
    state,
    preview: key === "" ? undefined : found.preview,
    checked,
    errors: state === "checking" || state === "away" ? [] : errorsOf(found),
    progress,
    problem,
    canWrite,
    write,
  };
}

function errorsOf({ preview, error }: Found): readonly CallError[] {
  return error === undefined ? (preview?.refused ?? []).map((one) => one.error) : [error];
}

function stateOf(found: Found, isPartial: boolean): "away" | "allowed" | "refused" {
  if (found.error?.code === "offline") return "away";
  const isRefused = isPartial && found.preview !== undefined ? found.preview.changed === 0 : errorsOf(found).length > 0;
  return isRefused ? "refused" : "allowed";
}

/** Asks what changes would do once they have rested; "" as the key asks nothing. @param heard is given what is refused */
function usePreview(changes: readonly Change[], key: string, heard: (refused: readonly Refused[]) => void) {
  const [found, setFound] = useState<Found>({ key: "" });
  const [progress, setProgress] = useState({ key: "", checked: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the question
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
          heard(preview.refused);
        },
        (error: unknown) => signal.aborted || setFound({ key, error: callError(error) }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return { found, checked: progress.key === key ? progress.checked : 0 };
}

/** Writes changes, and has the page ask again if any was written. Every try of one write has one id. */
function useWrite() {
  const [progress, setProgress] = useState<number>();
  // An answer that got lost does not write twice.
  const request = useRef({ key: "", id: "" });
  const send = async (changes: readonly Change[], message: string): Promise<Written> => {
    const key = JSON.stringify([changes, message]);
    if (request.current.key !== key) request.current = { key, id: crypto.randomUUID() };
    setProgress(0);
    try {
      const { id } = request.current;
      const result = await applyChanges(changes, { message, requestId: id, heard: setProgress });
      if (result.done > 0) written.announce();
      // The service keeps its answer to a request: another try after a refusal needs another id.
      request.current = { key: "", id: "" };
      return result;
    } finally {
      setProgress(undefined);
    }
  };
  return { progress, send };
}

function refusalOf({ refused: [first], done }: Written): CallError {
  const error = first?.error ?? callError(undefined);
  if (done === 0) return error;
  return new CallError(error.code, `${countOf(done, "change")} were written, then this was refused: ${error.message}`);
}
