import { useEffect, useState } from "preact/hooks";
import type { BoardChange, BoardData, Card, LogPiece } from "#planner/board/wire.ts";
import { RequestError, readBoard, request } from "./api.ts";
import { plainLog } from "./plain_log.ts";
import { readEvents } from "./read_events.ts";

/** Characters of a log that the page keeps. */
const MOST_LOG = 2_000_000;
/** Time until a lost connection is tried again, in milliseconds. */
const AGAIN_MS = 1000;

/** A message to the person, with what takes the change back. */
export interface Message {
  readonly tone: "ok" | "fault";
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

export interface BoardView {
  readonly data: BoardData | undefined;
  readonly cards: ReadonlyMap<string, Card>;
  /** The revision in which a spec changed last, as far as this page knows. */
  readonly specsRevision: number | undefined;
  /** Why the page is not connected; undefined while it is. */
  readonly problem: string | undefined;
  readonly message: Message | undefined;
  /** The log that is followed. */
  readonly log: { readonly id: string; readonly text: string; readonly offset: number | null } | undefined;
  readonly isPrinting: boolean;
}

type Listener = () => void;

/** The state of the page. */
class Store {
  #view: BoardView = {
    data: undefined,
    cards: new Map(),
    specsRevision: undefined,
    problem: undefined,
    message: undefined,
    log: undefined,
    isPrinting: false,
  };
  readonly #listeners = new Set<Listener>();

  get view(): BoardView {
    return this.#view;
  }

  set(change: Partial<BoardView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export const store = new Store();

/** The state, followed. */
export function useView(): BoardView {
  const [view, setView] = useState(store.view);
  useEffect(() => {
    const follow = () => setView(store.view);
    follow();
    return store.listen(follow);
  }, []);
  return view;
}

export function tell(message: Message | undefined): void {
  store.set({ message });
}

let stream: AbortController | undefined;

/** Reads the board and follows it while the page is visible. */
export function startBoard(): void {
  document.addEventListener("visibilitychange", connect);
  connect();
}

/** Follows the log of a spec, or none. */
export function followLog(id: string | undefined): void {
  if (store.view.log?.id === id) return;
  store.set({ log: id === undefined ? undefined : { id, text: "", offset: null } });
  connect();
}

/** Ends the stream and begins another one, unless the page is hidden. */
function connect(): void {
  stream?.abort();
  stream = undefined;
  if (document.hidden) return;
  stream = new AbortController();
  void follow(stream.signal);
}

async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readOn(signal);
    } catch (error) {
      if (signal.aborted) return;
      store.set({ problem: error instanceof RequestError ? error.message : "The connection was lost" });
      // Another run of the board has another key, so this page stays what it is.
      if (error instanceof RequestError && error.kind === "permission_denied") return;
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Takes what one stream says until it ends. */
async function readOn(signal: AbortSignal): Promise<void> {
  if (store.view.data === undefined) takeBoard(await readBoard());
  const response = await request(streamAddress(), { signal });
  store.set({ problem: undefined });
  for await (const { name, data } of readEvents(response)) {
    if (signal.aborted) return;
    if (name === "board") takeChange(JSON.parse(data));
    else if (name === "log") takeLog(JSON.parse(data));
  }
}

function streamAddress(): string {
  const { data, log } = store.view;
  const words = new URLSearchParams({ revision: String(data?.revision ?? 0) });
  if (log !== undefined) {
    words.set("log", log.id);
    if (log.offset !== null) words.set("offset", String(log.offset));
  }
  return `/stream?${words}`;
}

function takeBoard(data: BoardData): void {
  const cards = new Map(data.cards.map((card) => [card.id, card]));
  store.set({ data, cards, specsRevision: data.revision });
}

function takeChange({ cards: changed, gone, ...totals }: BoardChange): void {
  const { data } = store.view;
  if (data === undefined) return;
  const cards = new Map(store.view.cards);
  for (const card of changed) cards.set(card.id, card);
  for (const id of gone) cards.delete(id);
  // An agent at work changes its card many times a minute, and no spec.
  const isOther = gone.length > 0 || changed.some(({ version }) => version > data.revision);
  const specsRevision = isOther ? totals.revision : store.view.specsRevision;
  store.set({ cards, specsRevision, data: { ...data, ...totals } });
}

function takeLog({ id, text, offset, fresh }: LogPiece): void {
  const { log } = store.view;
  if (log?.id !== id) return;
  const whole = fresh ? plainLog(text) : log.text + plainLog(text);
  store.set({ log: { id, offset, text: whole.length > MOST_LOG ? whole.slice(-MOST_LOG) : whole } });
}
