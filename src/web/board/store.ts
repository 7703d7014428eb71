import type { BoardChange, BoardData, Card, LogChunk } from "#planner/board/wire.ts";
import { Listeners, useCurrentValue } from "../shared/kept_values.ts";
import { readEvents } from "../shared/read_events.ts";
import { RequestError, readBoard, sendRequest } from "./api.ts";
import { stripTerminalSequences } from "#words/plain_log.ts";

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

export interface BoardPageState {
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
  if (boardStore.view.data === undefined) replaceBoardData(await readBoard());
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
