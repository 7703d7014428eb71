import { AsyncLocalStorage } from "node:async_hooks";

interface Passage {
  isCounted: boolean;
}

const passages = new AsyncLocalStorage<Passage>();

/** Says that the service has counted the request that is being answered. */
export function markCounted(): void {
  const passage = passages.getStore();
  if (passage !== undefined) passage.isCounted = true;
}

/** Answers a request; `tell` learns of the answer, and of the seconds it took, when the service was never asked. */
export async function passing<Answer>(
  answer: () => Promise<Answer>,
  tell: (answer: Answer, seconds: number) => void | Promise<void>,
): Promise<Answer> {
  const passage: Passage = { isCounted: false };
  const started = performance.now();
  const answered = await passages.run(passage, answer);
  if (!passage.isCounted) await tell(answered, (performance.now() - started) / 1000);
  return answered;
}
