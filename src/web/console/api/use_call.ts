import { useCallback, useEffect, useState } from "preact/hooks";
import { CallError, call, read } from "./client.ts";
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
export function useCall<Reply>(rpc: string, request: object | undefined): Asked<Reply> {
  const key = request === undefined ? "" : `${rpc} ${JSON.stringify(request)}`;
  return useAsked(key, (signal) => call<Reply>(rpc, request ?? {}, signal));
}

/** Reads one plain route, and again whenever its parameters change. */
export function useRead<Reply>(path: string, parameters: Readonly<Record<string, string>>): Asked<Reply> {
  const key = `${path} ${JSON.stringify(parameters)}`;
  return useAsked(key, (signal) => read<Reply>(path, parameters, signal));
}

function useAsked<Reply>(key: string, ask: (signal: AbortSignal) => Promise<Reply>): Asked<Reply> {
  const [state, setState] = useState<State<Reply>>({ key: "", round: 0 });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((value) => value + 1), []);
  useEffect(() => token.subscribe(again), [again]);
  useEffect(() => written.subscribe(again), [again]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the question, the round asks it again
  useEffect(() => {
    if (key === "") return undefined;
    const controller = new AbortController();
    ask(controller.signal).then(
      (reply) => controller.signal.aborted || setState({ key, round, reply }),
      (error: unknown) => controller.signal.aborted || setState({ key, round, error: toCallError(error) }),
    );
    return () => controller.abort();
  }, [key, round]);
  const current = state.key === key && state.round === round;
  return {
    reply: state.reply,
    error: current ? state.error : undefined,
    loading: key !== "" && !current,
    again,
  };
}

function toCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError("internal", "The answer could not be read.");
}
