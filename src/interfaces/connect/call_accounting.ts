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
 * Answers a request. Calls `count` with the code of a refusal, if one was noted, unless the service has counted the
 * call.
 */
export async function runCountedCall(
  answer: () => Promise<unknown>,
  count: (outcome: string | undefined) => void,
): Promise<void> {
  const account: CallAccount = { isCounted: false };
  await accounts.run(account, answer);
  if (!account.isCounted) count(account.outcome);
}
