const listeners = new Set<(ref: string) => void>();

/** Calls the listener with the reference of each element that anyone changes. Returns a function that removes it. */
export function addChangeListener(listener: (ref: string) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Notifies the listeners of a change log entry. `data` is the JSON of the event stream. */
export function notifyChangeListeners(data: string): void {
  const { entity = "" } = JSON.parse(data) as { readonly entity?: string };
  for (const listener of listeners) listener(entity);
}

/** A request whose reply is on the screen. */
export interface ShownRequest {
  /** Sends the request again without a loading indicator; resolves when the new reply is drawn, or after a failure. */
  readonly refreshReply: () => Promise<void>;
  /** Returns when the shown reply arrived, in milliseconds since 1970; undefined before the first one. */
  readonly getReplyTime: () => number | undefined;
}

/** Delay in milliseconds after the first change, so that following changes cause only one reload. */
const REFRESH_DELAY_MS = 200;
/** Minimum pause between reloads as a multiple of the last reload's duration, so that slow replies limit the load. */
const PAUSE_FACTOR = 2;

const shownRequests = new Set<ShownRequest>();
let isScheduled = false;
let isRefreshing = false;
let isRefreshDue = false;
let pauseMs = 0;

/** Keeps the reply to a request up to date until the returned function is called. */
export function keepReplyCurrent(question: ShownRequest): () => void {
  shownRequests.add(question);
  return () => shownRequests.delete(question);
}

/** Returns the arrival time of the oldest reply on the screen; undefined without any. */
export function findOldestReplyTime(): number | undefined {
  const times = [...shownRequests].map(({ getReplyTime }) => getReplyTime()).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Schedules a reload of all replies on the screen; calls in quick succession cause one reload. */
export function scheduleRefresh(): void {
  isRefreshDue = true;
  if (isRefreshing || isScheduled) return;
  isScheduled = true;
  setTimeout(() => void refreshShownRequests(), Math.max(REFRESH_DELAY_MS, pauseMs));
}

async function refreshShownRequests(): Promise<void> {
  isScheduled = false;
  isRefreshDue = false;
  isRefreshing = true;
  const started = performance.now();
  await Promise.all([...shownRequests].map(({ refreshReply }) => refreshReply()));
  pauseMs = PAUSE_FACTOR * (performance.now() - started);
  isRefreshing = false;
  if (isRefreshDue) scheduleRefresh();
}
