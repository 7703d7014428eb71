import { useCallback, useEffect, useState } from "preact/hooks";
import { keepReplyCurrent } from "../live/questions.ts";
import {
  type CallError,
  callRpc,
  convertToCallError,
  type RpcName,
  type RpcReply,
  type RpcRequest,
  readJsonRoute,
} from "./client.ts";
import { addShownWindow, useShownWindow } from "./during.ts";
import { tokenStore } from "./token.ts";
import { inventoryWriteListeners } from "./written.ts";

/** State of a request; `reply` keeps the old reply while a newer one is loading. */
export interface CallState<Reply> {
  readonly reply: Reply | undefined;
  readonly error: CallError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

interface LoadState<Reply> {
  readonly key: string;
  readonly round: number;
  readonly reply?: Reply;
  readonly error?: CallError;
}

/** Calls an RPC, and calls it again whenever the request changes; without a request, calls nothing. */
export function useCall<Name extends RpcName>(
  rpc: Name,
  request: RpcRequest<Name> | undefined,
): CallState<RpcReply<Name>> {
  const asked = addShownWindow(rpc, request ?? ({} as RpcRequest<Name>), useShownWindow());
  const key = request === undefined ? "" : `${rpc} ${JSON.stringify(asked)}`;
  return useLoadedReply(key, (signal) => callRpc(rpc, asked, signal));
}

/** Reads a plain route, and reads it again whenever its parameters change. */
export function useRouteCall<Reply>(path: string, parameters: Readonly<Record<string, string>>): CallState<Reply> {
  const key = `${path} ${JSON.stringify(parameters)}`;
  return useLoadedReply(key, (signal) => readJsonRoute<Reply>(path, parameters, signal));
}

/** Loads a reply with `ask`. Loads it again whenever the key, the token or the inventory changes; "" loads nothing. */
export function useLoadedReply<Reply>(key: string, ask: (signal: AbortSignal) => Promise<Reply>): CallState<Reply> {
  const [state, setState] = useState<LoadState<Reply>>({ key: "", round: 0 });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((value) => value + 1), []);
  useEffect(() => tokenStore.subscribe(reload), [reload]);
  useEffect(() => inventoryWriteListeners.subscribe(reload), [reload]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the request, a new round repeats it
  useEffect(() => {
    if (key === "") return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let answeredAt: number | undefined;
    const showState = (next: LoadState<Reply>) => {
      if (signal.aborted) return;
      if (next.error === undefined) answeredAt = Date.now();
      setState((shown) => (isSameCallState(shown, next) ? shown : next));
    };
    const first = ask(signal).then(
      (reply) => showState({ key, round, reply }),
      (error: unknown) => showState({ key, round, error: convertToCallError(error) }),
    );
    const refreshReply = async () => {
      await first;
      await ask(signal).then(
        (reply) => showState({ key, round, reply }),
        (error: unknown) => {
          const problem = convertToCallError(error);
          // After a temporary failure the older reply stays; the page shows its age.
          if (answeredAt === undefined || !TEMPORARY_ERROR_CODES.has(problem.code))
            showState({ key, round, error: problem });
        },
      );
    };
    const unfollow = keepReplyCurrent({ refreshReply: refreshReply, getReplyTime: () => answeredAt });
    return () => {
      unfollow();
      controller.abort();
    };
  }, [key, round]);
  const current = state.key === key && state.round === round;
  return {
    reply: state.reply,
    error: current ? state.error : undefined,
    loading: key !== "" && !current,
    reload: reload,
  };
}

/** Codes of temporary failures, which do not depend on the request. */
const TEMPORARY_ERROR_CODES: ReadonlySet<string> = new Set([
  "offline",
  "unavailable",
  "resource_exhausted",
  "deadline_exceeded",
]);

/** Whether two states draw the same screen. */
function isSameCallState<Reply>(shown: LoadState<Reply>, next: LoadState<Reply>): boolean {
  if (shown.key !== next.key || shown.round !== next.round || shown.error !== next.error) return false;
  return JSON.stringify(shown.reply) === JSON.stringify(next.reply);
}
