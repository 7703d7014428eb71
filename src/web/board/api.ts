import {
  type BoardData,
  type BoardPicture,
  type Done,
  KEY_HEADER,
  type Refused,
  type SpecPage,
} from "#planner/board/wire.ts";
import { keptValues } from "../shared/kept_values.ts";

/** Why a request was not answered as asked. */
export class RequestError extends Error {
  /** Kind of the refusal; `offline` if no answer came. */
  readonly kind: string;
  readonly isConflict: boolean;

  constructor(kind: string, message: string, isConflict = false) {
    super(message);
    this.kind = kind;
    this.isConflict = isConflict;
  }
}

const KEY = "planner-board-key";

/** Takes the key out of the address that opened the board, and keeps it for this origin. */
export function takeKey(): void {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  keptValues.set(KEY, given);
  history.replaceState(null, "", "/");
}

/** Asks the server. @throws RequestError */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, [KEY_HEADER]: keptValues.get(KEY) ?? "" };
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new RequestError("offline", "The board has ended: run “planner board” again");
  });
  if (response.ok) return response;
  const refused = (await response.json().catch(() => undefined)) as Refused | undefined;
  throw new RequestError(refused?.kind ?? "internal", refused?.message ?? `HTTP ${response.status}`, refused?.conflict);
}

async function read<Value>(path: string): Promise<Value> {
  return (await (await request(path)).json()) as Value;
}

export function readBoard(): Promise<BoardData> {
  return read("/board");
}

export function readPicture(): Promise<BoardPicture> {
  return read("/picture");
}

export function readSpec(id: string): Promise<SpecPage> {
  return read(`/spec?id=${encodeURIComponent(id)}`);
}

/** The difference of one file between two commits. */
export async function readDifference(asked: {
  readonly from: string;
  readonly to: string;
  readonly path: string;
}): Promise<string> {
  return (await read<{ readonly text: string }>(`/difference?${new URLSearchParams(asked)}`)).text;
}

/** What the person had seen of the spec: the digest of its file, or the revision of the board. */
export type Seen = { readonly seen: string } | { readonly revision: number };

/** Carries out a command. @throws RequestError with the server's sentence */
export async function carryOut(tool: string, args: object, seen?: Seen): Promise<Done> {
  const response = await request("/do", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tool, args, ...seen }),
  });
  return (await response.json()) as Done;
}
