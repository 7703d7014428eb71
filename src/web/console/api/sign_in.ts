import { Listeners } from "../../shared/listeners.ts";
import { CallError } from "./client.ts";
import { tokenStore } from "./token.ts";

/** A call that the server rejected and that waits for a new token. */
interface WaitingCall {
  readonly message: string;
  readonly retry: () => void;
  readonly cancel: () => void;
}

let waitingCalls: readonly WaitingCall[] = [];
const listeners = new Listeners();

function setWaitingCalls(next: readonly WaitingCall[]): void {
  waitingCalls = next;
  listeners.notify();
}

/** Calls that the server rejected for lack of a valid token. They are sent again after the person enters one. */
export const waitingSignIns = {
  /** Returns the error message of the first waiting call, or undefined if none waits. */
  message(): string | undefined {
    return waitingCalls[0]?.message;
  },
  cancelAll(): void {
    for (const one of waitingCalls) one.cancel();
    setWaitingCalls([]);
  },
  subscribe: listeners.subscribe,
};

tokenStore.subscribe(() => {
  const ready = waitingCalls;
  if (ready.length === 0 || tokenStore.value() === "") return;
  setWaitingCalls([]);
  for (const one of ready) one.retry();
});

/** Runs a call; if it needs a valid token, asks the person for one and repeats the call. @throws CallError. */
export async function callWithSignIn<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== "unauthenticated") throw error;
      await new Promise<void>((go, refuse) => {
        const giveUp = () => refuse(error);
        setWaitingCalls([...waitingCalls, { message: error.message, retry: go, cancel: giveUp }]);
      });
    }
  }
}
