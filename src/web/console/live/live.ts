import { tokenStore } from "../api/token.ts";
import { announceChange } from "./changes.ts";
import { oldestAnswer, refreshSoon } from "./questions.ts";

/** Whether the screen follows the inventory. Times are in milliseconds since 1970. */
export type LiveState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** Changes since `asOf` may be missing. */
  | { readonly kind: "stale"; readonly asOf: number; readonly why: string };

const PATH = "/changes/stream";
/** Time without a byte after which the connection is taken as lost: the server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000;
/** Time before the first and before any later attempt to connect again. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5000;

const listeners = new Set<() => void>();
const loadedAt = Date.now() - performance.now();

let state: LiveState = { kind: "connecting" };
let lastId = "";
let heardAt = 0;
let retryMs = FIRST_RETRY_MS;
let connection: AbortController | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;

export function liveState(): LiveState {
  return state;
}

export function onLiveState(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the change log for as long as the tab lives. Hidden tabs let go: browsers allow few connections per server. */
export function startLive(): void {
  const restart = () => {
    leave();
    retryMs = FIRST_RETRY_MS;
    if (document.visibilityState === "visible") void connect();
  };
  document.addEventListener("visibilitychange", restart);
  addEventListener("online", restart);
  tokenStore.subscribe(restart);
  restart();
}

function leave(): void {
  connection?.abort();
  connection = undefined;
  clearTimeout(retry);
}

async function connect(): Promise<void> {
  const own = new AbortController();
  connection = own;
  let why = "The server does not answer.";
  try {
    why = (await follow(own)) ?? why;
  } catch {
    // The connection broke or was never made.
  }
  if (connection !== own) return;
  noteLoss(why);
  retry = setTimeout(() => void connect(), retryMs * (1 + Math.random() / 2));
  retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
}

/** Reads the stream to its end. Returns why it ended, if the server says so. */
async function follow(own: AbortController): Promise<string | undefined> {
  const headers = new Headers();
  if (tokenStore.value() !== "") headers.set("authorization", `Bearer ${tokenStore.value()}`);
  if (lastId !== "") headers.set("last-event-id", lastId);
  const silence = new Watchdog(() => own.abort());
  try {
    const response = await fetch(PATH, { headers, signal: own.signal, credentials: "omit", cache: "no-store" });
    if (!response.ok || response.body === null) return REASONS[response.status];
    let ended: string | undefined;
    for await (const event of readEvents(response.body, () => silence.feed())) ended = take(event) ?? ended;
    return ended;
  } finally {
    silence.stop();
  }
}

const REASONS: Readonly<Record<number, string>> = {
  401: "The server asks for a token.",
  429: "Too many consoles follow this server.",
  503: "The database cannot be reached.",
};

/** Takes one event. Returns the reason when it is the last one. */
function take({ event, id, data }: StreamEvent): string | undefined {
  if (event === "end") return `${(JSON.parse(data) as { readonly message: string }).message}.`;
  // Says that verdicts are followed from now on.
  if (event === "verdicts") return undefined;
  const isFirst = lastId === "";
  lastId = id;
  // What was asked before the first connection may be older than a change just before it.
  if (event === "head" && isFirst && !isRecent(data)) noteArrival();
  else {
    noteArrival();
    if (event === "change") announceChange(data);
    refreshSoon();
  }
  return undefined;
}

/** Whether the last change was made after this page began to load, by the server's clock. */
function isRecent(data: string): boolean {
  const { now, changed_at } = JSON.parse(data) as { readonly now: string; readonly changed_at: string | null };
  if (changed_at === null) return false;
  return Date.parse(now) - Date.parse(changed_at) <= Date.now() - loadedAt + 1000;
}

function noteArrival(): void {
  heardAt = Date.now();
  retryMs = FIRST_RETRY_MS;
  if (state.kind !== "live") setLive({ kind: "live" });
}

function noteLoss(why: string): void {
  // While changes came in, an answer was current until the connection was lost.
  const asOf = Math.max(heardAt, oldestAnswer() ?? 0);
  if (asOf === 0) return;
  setLive({ kind: "stale", asOf, why });
}

function setLive(next: LiveState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Runs `bark` when nothing is heard for a while. */
class Watchdog {
  readonly #bark: () => void;
  #timer: ReturnType<typeof setTimeout>;

  constructor(bark: () => void) {
    this.#bark = bark;
    this.#timer = setTimeout(bark, SILENCE_MS);
  }

  feed(): void {
    heardAt = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#bark, SILENCE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** One server-sent event; `id` is empty where it has none. */
interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a body. `EventSource` would do so too, but it cannot send a token.
 * @param alive runs for every piece that arrives, comments as well
 */
async function* readEvents(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    text += decoder.decode(value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

function parseEvent(block: string): StreamEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  const { event, id = "", data } = fields;
  return event === undefined || data === undefined ? undefined : { event, id, data };
}
