import { Listeners, useCurrentValue } from "../../shared/browser.ts";
import { readEvents, type ServerEvent } from "../../shared/read_events.ts";
import { tokenStore } from "../api/client.ts";
import { findOldestReplyTime, notifyChangeListeners, scheduleRefresh } from "./changes.ts";

/** Whether the screen follows changes of the inventory. Times are in milliseconds since 1970. */
export type LiveState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** Changes after `asOf` may be missing. */
  | { readonly kind: "stale"; readonly asOf: number; readonly why: string };

const STREAM_PATH = "/changes/stream";
/** Silence in milliseconds after which the connection counts as lost; the server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000;
/** Delay in milliseconds before the first attempt to reconnect. Each failure doubles it, up to `MAX_RETRY_MS`. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5000;

const listeners = new Listeners();
const pageLoadTime = Date.now() - performance.now();

let liveState: LiveState = { kind: "connecting" };
let lastEventId = "";
let lastReceivedAt = 0;
let retryDelayMs = FIRST_RETRY_MS;
let openController: AbortController | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;

export function useLiveState(): LiveState {
  return useCurrentValue(() => liveState, listeners.subscribe);
}

/**
 * Follows the change log as long as the tab exists. Hidden tabs disconnect, because browsers allow few connections per
 * server.
 */
export function startFollowingChanges(): void {
  const restartConnection = () => {
    closeConnection();
    retryDelayMs = FIRST_RETRY_MS;
    if (document.visibilityState === "visible") void openConnection();
  };
  document.addEventListener("visibilitychange", restartConnection);
  addEventListener("online", restartConnection);
  tokenStore.subscribe(restartConnection);
  restartConnection();
}

function closeConnection(): void {
  openController?.abort();
  openController = undefined;
  clearTimeout(retryTimer);
}

async function openConnection(): Promise<void> {
  const controller = new AbortController();
  openController = controller;
  let why = "The server does not answer.";
  try {
    why = (await readStream(controller)) ?? why;
  } catch {
    // The connection failed or broke; it is reported below.
  }
  if (openController !== controller) return;
  recordConnectionLoss(why);
  retryTimer = setTimeout(() => void openConnection(), retryDelayMs * (1 + Math.random() / 2));
  retryDelayMs = Math.min(MAX_RETRY_MS, retryDelayMs * 2);
}

/** Reads the stream to its end. Returns the server's reason for the end, if it sent one. */
async function readStream(controller: AbortController): Promise<string | undefined> {
  const headers = new Headers();
  if (tokenStore.value() !== "") headers.set("authorization", `Bearer ${tokenStore.value()}`);
  if (lastEventId !== "") headers.set("last-event-id", lastEventId);
  const silence = new Watchdog(() => controller.abort());
  try {
    const response = await fetch(STREAM_PATH, {
      headers,
      signal: controller.signal,
      credentials: "omit",
      cache: "no-store",
    });
    if (!response.ok || response.body === null) return REASONS_BY_STATUS[response.status];
    let ended: string | undefined;
    for await (const event of readEvents(response.body, () => silence.feed()))
      ended = handleStreamEvent(event) ?? ended;
    return ended;
  } finally {
    silence.stop();
  }
}

const REASONS_BY_STATUS: Readonly<Record<number, string>> = {
  401: "The server asks for a token.",
  429: "Too many consoles follow this server.",
  503: "The database cannot be reached.",
};

/** Handles one event. Returns the reason of an event that ends the stream. */
function handleStreamEvent({ event, id, data }: ServerEvent): string | undefined {
  if (event === "end") return `${(JSON.parse(data) as { readonly message: string }).message}.`;
  // The server confirms that the stream also contains verdicts, which the console ignores.
  if (event === "verdicts") return undefined;
  const isFirst = lastEventId === "";
  lastEventId = id;
  recordDataArrival();
  if (event === "change") notifyChangeListeners(data);
  // Replies from before the first connection may lack a change that was made just before it.
  if (event !== "head" || !isFirst || isRecentChange(data)) scheduleRefresh();
  return undefined;
}

/** Whether the last change was made after this page began to load, by the server's clock. */
function isRecentChange(data: string): boolean {
  const { now, changed_at } = JSON.parse(data) as { readonly now: string; readonly changed_at: string | null };
  if (changed_at === null) return false;
  return Date.parse(now) - Date.parse(changed_at) <= Date.now() - pageLoadTime + 1000;
}

function recordDataArrival(): void {
  lastReceivedAt = Date.now();
  retryDelayMs = FIRST_RETRY_MS;
  if (liveState.kind !== "live") setLiveState({ kind: "live" });
}

function recordConnectionLoss(why: string): void {
  // While changes arrived, every reply was current until the connection was lost.
  const asOf = Math.max(lastReceivedAt, findOldestReplyTime() ?? 0);
  if (asOf === 0) return;
  setLiveState({ kind: "stale", asOf, why });
}

function setLiveState(next: LiveState): void {
  liveState = next;
  listeners.notify();
}

/** Calls the given function unless `feed` is called within `SILENCE_MS`. */
class Watchdog {
  readonly #onSilence: () => void;
  #timer: ReturnType<typeof setTimeout>;

  constructor(bark: () => void) {
    this.#onSilence = bark;
    this.#timer = setTimeout(bark, SILENCE_MS);
  }

  feed(): void {
    lastReceivedAt = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onSilence, SILENCE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
