import {
  BOARD_KEY_HEADER,
  type BoardData,
  type BoardPicture,
  type CommandRefusal,
  type CommandResult,
  type SpecPage,
} from "#planner/board/wire.ts";
import { browserValues } from "../shared/kept_values.ts";

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
export async function sendRequest(path: string, init: RequestInit = {}): Promise<Response> {
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

export function readBoard(): Promise<BoardData> {
  return readJson("/board");
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
