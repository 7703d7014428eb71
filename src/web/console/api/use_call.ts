import { useCallback, useEffect, useState } from "preact/hooks";
import { followQuestion } from "../live/questions.ts";
import {
  type CallError,
  callRpc,
  type RpcName,
  type RpcReply,
  type RpcRequest,
  readRoute,
  toCallError,
} from "./client.ts";
import { addShownWindow, useShownWindow } from "./during.ts";
import { tokenStore } from "./token.ts";
import { inventoryWrites } from "./written.ts";

/** State of a request; `reply` keeps the old reply while a newer one is loading. */
export interface CallState<Reply> {
  readonly reply: Reply | undefined;
  readonly error: CallError | undefined;
  readonly loading: boolean;
  readonly again: () => void;
}

interface State<Reply> {
  readonly key: string;
  readonly round: number;
  readonly reply?: Reply;
  readonly error?: CallError;
}

/** Calls an RPC, and again whenever the request changes; calls nothing without a request. */
export function useCall<Name extends RpcName>(
  rpc: Name,
  request: RpcRequest<Name> | undefined,
): CallState<RpcReply<Name>> {
  const asked = addShownWindow(rpc, request ?? ({} as RpcRequest<Name>), useShownWindow());
  const key = request === undefined ? "" : `${rpc} ${JSON.stringify(asked)}`;
  return useReply(key, (signal) => callRpc(rpc, asked, signal));
}

/** Reads a plain route, and again whenever its parameters change. */
export function useRoute<Reply>(path: string, parameters: Readonly<Record<string, string>>): CallState<Reply> {
  const key = `${path} ${JSON.stringify(parameters)}`;
  return useReply(key, (signal) => readRoute<Reply>(path, parameters, signal));
}

/** Loads a reply by a given function, and again whenever the key or the inventory changes. */
export function useReply<Reply>(key: string, ask: (signal: AbortSignal) => Promise<Reply>): CallState<Reply> {
  const [state, setState] = useState<State<Reply>>({ key: "", round: 0 });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((value) => value + 1), []);
  useEffect(() => tokenStore.subscribe(again), [again]);
  useEffect(() => inventoryWrites.subscribe(again), [again]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the question, the round asks it again
  useEffect(() => {
    if (key === "") return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let answeredAt: number | undefined;
    const show = (next: State<Reply>) => {
      if (signal.aborted) return;
      if (next.error === undefined) answeredAt = Date.now();
      setState((shown) => (isSameState(shown, next) ? shown : next));
    };
    const first = ask(signal).then(
      (reply) => show({ key, round, reply }),
      (error: unknown) => show({ key, round, error: toCallError(error) }),
    );
    const refresh = async () => {
      await first;
      await ask(signal).then(
        (reply) => show({ key, round, reply }),
        (error: unknown) => {
          const problem = toCallError(error);
          // After a temporary failure the older reply stays; the page shows its age.
          if (answeredAt === undefined || !PASSING.has(problem.code)) show({ key, round, error: problem });
        },
      );
    };
    const unfollow = followQuestion({ refresh, answeredAt: () => answeredAt });
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
    again,
  };
}

/** Codes of temporary failures, which do not depend on the request. */
const PASSING: ReadonlySet<string> = new Set(["offline", "unavailable", "resource_exhausted", "deadline_exceeded"]);

/** Whether two states draw the same screen. */
function isSameState<Reply>(shown: State<Reply>, next: State<Reply>): boolean {
  if (shown.key !== next.key || shown.round !== next.round || shown.error !== next.error) return false;
  return JSON.stringify(shown.reply) === JSON.stringify(next.reply);
}
