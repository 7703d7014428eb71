import { useEffect, useState } from "preact/hooks";
import {
  BOARD_KEY_HEADER,
  type BoardChange,
  type BoardData,
  type BoardPicture,
  type Card,
  type CommandRefusal,
  type CommandResult,
  type LogChunk,
  type SpecPage,
} from "#planner/board/wire.ts";
import { stripTerminalSequences } from "#words/plain_log.ts";
import { browserValues, Listeners, useCurrentValue } from "../shared/browser.ts";
import { readEvents } from "../shared/read_events.ts";

/** Error for a request that failed or that the server refused. */
export class RequestError extends Error {
  /** Kind of the refusal; `offline` if the server did not reply. */
  readonly kind: string;
  readonly isConflict: boolean;

  constructor(kind: string, message: string, isConflict = false) {
    super(message);
    this.kind = kind;
    this.isConflict = isConflict;
  }
}

/** Returns the message of a RequestError, or any other error as text. */
export function describeError(error: unknown): string {
  return error instanceof RequestError ? error.message : String(error);
}

const STORAGE_KEY = "planner-board-key";

/** Moves the key from the URL that opened the board into the storage of this origin. */
export function storeKeyFromUrl(): void {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  browserValues.set(STORAGE_KEY, given);
  history.replaceState(null, "", "/");
}

/** Sends a request with the key. @throws RequestError if the server refuses it or does not reply. */
async function sendRequest(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, [BOARD_KEY_HEADER]: browserValues.get(STORAGE_KEY) ?? "" };
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new RequestError("offline", "The board has ended: run “planner board” again");
  });
  if (response.ok) return response;
  const refused = (await response.json().catch(() => undefined)) as CommandRefusal | undefined;
  throw new RequestError(refused?.kind ?? "internal", refused?.message ?? `HTTP ${response.status}`, refused?.conflict);
}

async function readJson<Value>(path: string): Promise<Value> {
  return (await (await sendRequest(path)).json()) as Value;
}

export function readPicture(): Promise<BoardPicture> {
  return readJson("/picture");
}

export function readSpec(id: string): Promise<SpecPage> {
  return readJson(`/spec?id=${encodeURIComponent(id)}`);
}

/** Reads the difference of one file between two commits. */
export async function readFileDifference(asked: {
  readonly from: string;
  readonly to: string;
  readonly path: string;
}): Promise<string> {
  return (await readJson<{ readonly text: string }>(`/difference?${new URLSearchParams(asked)}`)).text;
}

/** State that the person saw before a change: the digest of the spec's file, or the revision of the board. */
export type SeenVersion = { readonly seen: string } | { readonly revision: number };

/** Runs a command on the server, or throws RequestError with the server's message. */
export async function callTool(tool: string, args: object, seen?: SeenVersion): Promise<CommandResult> {
  const response = await sendRequest("/do", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tool, args, ...seen }),
  });
  return (await response.json()) as CommandResult;
}

/** Maximum number of characters of a log that the page keeps. */
const MAX_LOG_CHARS = 2_000_000;
/** Delay before a lost connection is retried, in milliseconds. */
const RETRY_DELAY_MS = 1000;

/** A message to the person about a change, and the function that undoes this change. */
export interface BoardMessage {
  readonly tone: "ok" | "fault";
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

interface BoardPageState {
  readonly data: BoardData | undefined;
  readonly cards: ReadonlyMap<string, Card>;
  /** Latest revision known to this page in which a spec changed. */
  readonly specsRevision: number | undefined;
  /** Why the page is not connected; undefined while it is connected. */
  readonly problem: string | undefined;
  readonly message: BoardMessage | undefined;
  /** Log that the page follows; undefined if it follows no log. */
  readonly log: { readonly id: string; readonly text: string; readonly offset: number | null } | undefined;
  readonly isPrinting: boolean;
}

/** State of the page, with listeners that are called on each change. */
class BoardStore {
  #view: BoardPageState = {
    data: undefined,
    cards: new Map(),
    specsRevision: undefined,
    problem: undefined,
    message: undefined,
    log: undefined,
    isPrinting: false,
  };
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.subscribe;

  get view(): BoardPageState {
    return this.#view;
  }

  set(change: Partial<BoardPageState>): void {
    this.#view = { ...this.#view, ...change };
    this.#listeners.notify();
  }
}

export const boardStore = new BoardStore();

/** Returns the page's state; the component is drawn again when it changes. */
export function useBoardPageState(): BoardPageState {
  return useCurrentValue(() => boardStore.view, boardStore.subscribe);
}

export function showMessage(message: BoardMessage | undefined): void {
  boardStore.set({ message });
}

let streamController: AbortController | undefined;

/** Reads the board and follows its changes while the page is visible. */
export function followBoard(): void {
  document.addEventListener("visibilitychange", reconnectStream);
  reconnectStream();
}

/** Starts to follow the log of a spec; `undefined` stops following. */
export function followLog(id: string | undefined): void {
  if (boardStore.view.log?.id === id) return;
  boardStore.set({ log: id === undefined ? undefined : { id, text: "", offset: null } });
  reconnectStream();
}

/** Closes the event stream and opens a new one, unless the page is hidden. */
function reconnectStream(): void {
  streamController?.abort();
  streamController = undefined;
  if (document.hidden) return;
  streamController = new AbortController();
  void followEventStream(streamController.signal);
}

async function followEventStream(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readEventStream(signal);
    } catch (error) {
      if (signal.aborted) return;
      boardStore.set({ problem: error instanceof RequestError ? error.message : "The connection was lost" });
      // A restarted board has another key, so that this page cannot connect again.
      if (error instanceof RequestError && error.kind === "permission_denied") return;
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  }
}

/** Reads the event stream until it ends, and applies each event to the store. */
async function readEventStream(signal: AbortSignal): Promise<void> {
  if (boardStore.view.data === undefined) replaceBoardData(await readJson("/board"));
  const response = await sendRequest(formatStreamUrl(), { signal });
  boardStore.set({ problem: undefined });
  if (response.body === null) return;
  for await (const { event, data } of readEvents(response.body)) {
    if (signal.aborted) return;
    if (event === "board") applyBoardChange(JSON.parse(data));
    else if (event === "log") appendLogChunk(JSON.parse(data));
  }
}

function formatStreamUrl(): string {
  const { data, log } = boardStore.view;
  const words = new URLSearchParams({ revision: String(data?.revision ?? 0) });
  if (log !== undefined) {
    words.set("log", log.id);
    if (log.offset !== null) words.set("offset", String(log.offset));
  }
  return `/stream?${words}`;
}

function replaceBoardData(data: BoardData): void {
  const cards = new Map(data.cards.map((card) => [card.id, card]));
  boardStore.set({ data, cards, specsRevision: data.revision });
}

function applyBoardChange({ cards: changed, gone, ...totals }: BoardChange): void {
  const { data } = boardStore.view;
  if (data === undefined) return;
  const cards = new Map(boardStore.view.cards);
  for (const card of changed) cards.set(card.id, card);
  for (const id of gone) cards.delete(id);
  // A running agent changes its card many times a minute without changing a spec.
  const isOther = gone.length > 0 || changed.some(({ version }) => version > data.revision);
  const specsRevision = isOther ? totals.revision : boardStore.view.specsRevision;
  boardStore.set({ cards, specsRevision, data: { ...data, ...totals } });
}

function appendLogChunk({ id, text, offset, fresh }: LogChunk): void {
  const { log } = boardStore.view;
  if (log?.id !== id) return;
  const whole = fresh ? stripTerminalSequences(text) : log.text + stripTerminalSequences(text);
  boardStore.set({ log: { id, offset, text: whole.length > MAX_LOG_CHARS ? whole.slice(-MAX_LOG_CHARS) : whole } });
}

const MINUTE_MS = 60_000;

/** Returns the current time in milliseconds, updated every ten seconds. */
export function useCurrentTime(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Formats a duration as `12 min` or `3 h 05 min`. */
export function formatElapsedTime(fromMs: number, toMs: number): string {
  const minutes = Math.max(0, Math.floor((toMs - fromMs) / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Formats an ISO time in the reader's time zone; returns other text unchanged. */
export function formatLocalTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? at
    : time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
