import { useCallback, useEffect, useState } from "preact/hooks";
import { followQuestion } from "../live/questions.ts";
import { type CallError, call, callError, type Reply, type Request, type Rpc, read } from "./client.ts";
import { asDuring, useDuring } from "./during.ts";
import { token } from "./token.ts";
import { written } from "./written.ts";

/** What is known of a question: `reply` stays while a newer one is on its way. */
export interface Asked<Reply> {
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

/** Asks one RPC, and again whenever the request changes; an unset request asks nothing. */
export function useCall<Name extends Rpc>(rpc: Name, request: Request<Name> | undefined): Asked<Reply<Name>> {
  const asked = asDuring(rpc, request ?? ({} as Request<Name>), useDuring());
  const key = request === undefined ? "" : `${rpc} ${JSON.stringify(asked)}`;
  return useQuestion(key, (signal) => call(rpc, asked, signal));
}

/** Reads one plain route, and again whenever its parameters change. */
export function useRead<Reply>(path: string, parameters: Readonly<Record<string, string>>): Asked<Reply> {
  const key = `${path} ${JSON.stringify(parameters)}`;
  return useQuestion(key, (signal) => read<Reply>(path, parameters, signal));
}

/** Asks by a given function, and again whenever the key changes or the inventory does. */
export function useQuestion<Reply>(key: string, ask: (signal: AbortSignal) => Promise<Reply>): Asked<Reply> {
  const [state, setState] = useState<State<Reply>>({ key: "", round: 0 });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((value) => value + 1), []);
  useEffect(() => token.subscribe(again), [again]);
  useEffect(() => written.subscribe(again), [again]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the question, the round asks it again
  useEffect(() => {
    if (key === "") return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let answeredAt: number | undefined;
    const show = (next: State<Reply>) => {
      if (signal.aborted) return;
      if (next.error === undefined) answeredAt = Date.now();
      setState((shown) => (isSame(shown, next) ? shown : next));
    };
    const first = ask(signal).then(
      (reply) => show({ key, round, reply }),
      (error: unknown) => show({ key, round, error: callError(error) }),
    );
    const refresh = async () => {
      await first;
      await ask(signal).then(
        (reply) => show({ key, round, reply }),
        (error: unknown) => {
          const problem = callError(error);
          // An older answer says more than a failure that passes; the page says how old it is.
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

/** Failures that say nothing about the question. */
const PASSING: ReadonlySet<string> = new Set(["offline", "unavailable", "resource_exhausted", "deadline_exceeded"]);

/** Whether nothing on the screen would change. */
function isSame<Reply>(shown: State<Reply>, next: State<Reply>): boolean {
  if (shown.key !== next.key || shown.round !== next.round || shown.error !== next.error) return false;
  return JSON.stringify(shown.reply) === JSON.stringify(next.reply);
}
