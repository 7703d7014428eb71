/** A request whose reply is on the screen. */
export interface ShownQuestion {
  /** Sends the request again without a loading indicator; resolves when the new reply is drawn, or after a failure. */
  readonly refresh: () => Promise<void>;
  /** Returns when the shown reply arrived, in milliseconds since 1970; undefined before the first one. */
  readonly answeredAt: () => number | undefined;
}

/** Delay in milliseconds after the first change, so that following changes cause only one reload. */
const GATHER_MS = 200;
/** Minimum pause between reloads as a multiple of the last reload's duration, so that slow replies limit the load. */
const REST_FACTOR = 2;

const shown = new Set<ShownQuestion>();
let isWaiting = false;
let isAsking = false;
let isDue = false;
let restMs = 0;

/** Keeps the reply to a request up to date until the returned function is called. */
export function keepReplyCurrent(question: ShownQuestion): () => void {
  shown.add(question);
  return () => shown.delete(question);
}

/** Returns the arrival time of the oldest reply on the screen; undefined without any. */
export function findOldestReplyTime(): number | undefined {
  const times = [...shown].map(({ answeredAt }) => answeredAt()).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Schedules a reload of all replies on the screen; calls in quick succession cause one reload. */
export function scheduleRefresh(): void {
  isDue = true;
  if (isAsking || isWaiting) return;
  isWaiting = true;
  setTimeout(() => void refreshAllQuestions(), Math.max(GATHER_MS, restMs));
}

async function refreshAllQuestions(): Promise<void> {
  isWaiting = false;
  isDue = false;
  isAsking = true;
  const started = performance.now();
  await Promise.all([...shown].map(({ refresh }) => refresh()));
  restMs = REST_FACTOR * (performance.now() - started);
  isAsking = false;
  if (isDue) scheduleRefresh();
}
