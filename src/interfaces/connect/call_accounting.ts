import { AsyncLocalStorage } from "node:async_hooks";

/** Whether the service has counted the call of one request. */
interface CallAccount {
  isCounted: boolean;
  outcome?: string;
}

const accounts = new AsyncLocalStorage<CallAccount>();

/** Marks the current request as counted by the service. */
export function markCallCounted(): void {
  const account = accounts.getStore();
  if (account !== undefined) account.isCounted = true;
}

/** Notes the code with which the current request is refused, for metrics. */
export function noteOutcome(code: string): void {
  const account = accounts.getStore();
  if (account !== undefined) account.outcome = code;
}

/**
 * Answers a request and counts it exactly once: `count` runs unless the service has counted the call.
 * @param count receives the answer, its duration in seconds, and the code of a refusal
 */
export async function runCountedCall<Answer>(
  answer: () => Promise<Answer>,
  count: (answer: Answer, seconds: number, outcome: string | undefined) => void | Promise<void>,
): Promise<Answer> {
  const account: CallAccount = { isCounted: false };
  const started = performance.now();
  const answered = await accounts.run(account, answer);
  if (!account.isCounted) await count(answered, (performance.now() - started) / 1000, account.outcome);
  return answered;
}
