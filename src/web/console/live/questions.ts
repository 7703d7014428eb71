/** A question whose answer is on the screen. */
export interface Question {
  /** Asks again without a sign that it does; resolves when the answer is on the screen, or does not come. */
  readonly refresh: () => Promise<void>;
  /** When the shown answer came, in milliseconds since 1970; undefined before the first one. */
  readonly answeredAt: () => number | undefined;
}

/** Changes that follow each other are answered together, so many milliseconds after the first. */
const GATHER_MS = 200;
/** Least time between two rounds as a multiple of the time that the last one took: a long load must not be asked on and on. */
const REST_FACTOR = 2;

const shown = new Set<Question>();
let isWaiting = false;
let isAsking = false;
let isDue = false;
let restMs = 0;

/** Keeps a question up to date until the returned function is called. */
export function followQuestion(question: Question): () => void {
  shown.add(question);
  return () => shown.delete(question);
}

/** When the oldest answer on the screen came; undefined without any. */
export function oldestAnswer(): number | undefined {
  const times = [...shown].map(({ answeredAt }) => answeredAt()).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Asks everything on the screen again soon, once for changes that follow each other closely. */
export function refreshSoon(): void {
  isDue = true;
  if (isAsking || isWaiting) return;
  isWaiting = true;
  setTimeout(() => void refreshAll(), Math.max(GATHER_MS, restMs));
}

async function refreshAll(): Promise<void> {
  isWaiting = false;
  isDue = false;
  isAsking = true;
  const started = performance.now();
  await Promise.all([...shown].map(({ refresh }) => refresh()));
  restMs = REST_FACTOR * (performance.now() - started);
  isAsking = false;
  if (isDue) refreshSoon();
}
