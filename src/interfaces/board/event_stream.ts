import { OperationError } from "#kernel/errors.ts";
import type { LogChunk } from "#planner/board/wire.ts";
import type { PlannerContext } from "#planner/context.ts";
import { log } from "#planner/operations/log.ts";
import { runTool } from "#planner/service.ts";
import type { BoardFeed } from "./board_feed.ts";

/** Interval of checks of a followed log, in milliseconds. */
const LOG_POLL_MS = 200;
/** Interval in milliseconds between comments on a stream, which reveal a lost connection. */
const HEARTBEAT_MS = 15_000;
/** Number of log lines in the first event about a log. */
const INITIAL_LOG_LINES = 400;

const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };

export interface StreamRequest {
  readonly revision: number;
  /** Id of the spec whose log the page shows, or null. */
  readonly log: string | null;
  /** Offset up to which the page has read the log; null if it has read nothing. */
  readonly offset: number | null;
}

/** Sends changes of the board, and of one log, as server-sent events until one side ends the connection. */
export function createEventStream(
  {
    context,
    feed,
    shutdown,
  }: { readonly context: PlannerContext; readonly feed: BoardFeed; readonly shutdown: AbortSignal },
  wishes: StreamRequest,
): Response {
  const left = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => {
        if (left.signal.aborted) return;
        left.abort();
        controller.close();
      };
      const send = (text: string) => {
        if (left.signal.aborted) return;
        controller.enqueue(encoder.encode(text));
        // A page that stops reading is disconnected; it connects again later, from its last revision.
        if ((controller.desiredSize ?? 0) < -MAX_BUFFERED_CHUNKS) end();
      };
      const event = (name: string, data: object) => send(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
      let revision = wishes.revision;
      const tell = () => {
        if (feed.state.revision === revision) return;
        const change = feed.state.since(revision);
        revision = change.revision;
        event("board", change);
      };
      const quiet = feed.listen(tell);
      const heartbeat = setInterval(() => send(":\n\n"), HEARTBEAT_MS);
      const follower = wishes.log === null ? undefined : followLog(context, wishes, (piece) => event("log", piece));
      const release = () => {
        quiet();
        clearInterval(heartbeat);
        follower?.();
        shutdown.removeEventListener("abort", end);
      };
      left.signal.addEventListener("abort", release, { once: true });
      shutdown.addEventListener("abort", end, { once: true });
      send(":\n\n");
      tell();
    },
    cancel: () => left.abort(),
  });
  return new Response(body, { headers: HEADERS });
}

/** Maximum number of chunks that are buffered for a page. */
const MAX_BUFFERED_CHUNKS = 200;

const encoder = new TextEncoder();

/** Polls a log and sends its new text. Returns a function that stops polling. */
function followLog(context: PlannerContext, wishes: StreamRequest, send: (piece: LogChunk) => void): () => void {
  const id = wishes.log ?? "";
  let offset = wishes.offset;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const next = await readNextPiece(context, id, offset);
    if (isOver) return;
    if (next !== null) {
      if (next.text !== "" || next.fresh) send(next);
      offset = next.offset;
    }
    timer = setTimeout(() => void look(), next?.text === "" || next === null ? LOG_POLL_MS : 0);
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Reads the next piece of a log; null if there is no log. */
async function readNextPiece(context: PlannerContext, id: string, offset: number | null): Promise<LogChunk | null> {
  const args = offset === null ? { id, lines: INITIAL_LOG_LINES } : { id, offset };
  try {
    const { value } = await runTool(context, log, args);
    return { id, text: value.content, offset: value.byte_offset, fresh: offset === null };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    // The stored offset is wrong only if the log was replaced by a shorter one.
    return error.kind === "invalid_argument" && offset !== null ? { id, text: "", offset: 0, fresh: true } : null;
  }
}
