import { CallError } from "./client.ts";
import { token } from "./token.ts";

/** A call that waits for another token. */
interface Waiting {
  readonly message: string;
  readonly go: () => void;
  readonly giveUp: () => void;
}

let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

function setWaiting(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Calls that the server rejected without a valid token. They wait for one and are then sent again. */
export const signIns = {
  /** Error message of the first waiting call, or undefined if none waits. */
  message(): string | undefined {
    return waiting[0]?.message;
  },
  giveUp(): void {
    for (const one of waiting) one.giveUp();
    setWaiting([]);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

token.subscribe(() => {
  const ready = waiting;
  if (ready.length === 0 || token.value() === "") return;
  setWaiting([]);
  for (const one of ready) one.go();
});

/** Calls, and when no valid token is known asks for one and calls again. @throws CallError */
export async function signedIn<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== "unauthenticated") throw error;
      await new Promise<void>((go, refuse) => {
        const giveUp = () => refuse(error);
        setWaiting([...waiting, { message: error.message, go, giveUp }]);
      });
    }
  }
}
