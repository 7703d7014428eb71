import { CallError } from "./client.ts";
import { tokenStore } from "./token.ts";

/** A call that the server rejected and that waits for a new token. */
interface Waiting {
  readonly message: string;
  readonly go: () => void;
  readonly giveUp: () => void;
}

let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

function setWaitingCalls(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Calls that the server rejected for lack of a valid token. They are sent again after the person enters one. */
export const waitingSignIns = {
  /** Returns the error message of the first waiting call, or undefined if none waits. */
  message(): string | undefined {
    return waiting[0]?.message;
  },
  giveUp(): void {
    for (const one of waiting) one.giveUp();
    setWaitingCalls([]);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

tokenStore.subscribe(() => {
  const ready = waiting;
  if (ready.length === 0 || tokenStore.value() === "") return;
  setWaitingCalls([]);
  for (const one of ready) one.go();
});

/** Runs a call; if it needs a valid token, asks the person for one and repeats the call. @throws CallError. */
export async function callWithSignIn<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== "unauthenticated") throw error;
      await new Promise<void>((go, refuse) => {
        const giveUp = () => refuse(error);
        setWaitingCalls([...waiting, { message: error.message, go, giveUp }]);
      });
    }
  }
}
