import { OperationError } from "#kernel/errors.ts";
import type { LogChunk } from "#planner/board/wire.ts";
import type { PlannerContext } from "#planner/context.ts";
import { logTool } from "#planner/operations/log.ts";
import { runTool } from "#planner/service.ts";
import type { BoardFeed } from "./board_feed.ts";

/** Interval of checks of a followed log, in milliseconds. */
const LOG_POLL_MS = 200;
/** Interval in milliseconds between comments on a stream, which reveal a lost connection. */
const HEARTBEAT_MS = 15_000;
/** Number of log lines in the first event about a log. */
const INITIAL_LOG_LINES = 400;

const EVENT_STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };

export interface BoardStreamRequest {
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
  streamRequest: BoardStreamRequest,
): Response {
  const disconnection = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const closeStream = () => {
        if (disconnection.signal.aborted) return;
        disconnection.abort();
        controller.close();
      };
      const sendText = (text: string) => {
        if (disconnection.signal.aborted) return;
        controller.enqueue(textEncoder.encode(text));
        // A page that stops reading is disconnected; it connects again later, from its last revision.
        if ((controller.desiredSize ?? 0) < -MAX_BUFFERED_CHUNKS) closeStream();
      };
      const sendEvent = (name: string, data: object) => sendText(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
      let revision = streamRequest.revision;
      const sendBoardChange = () => {
        if (feed.state.revision === revision) return;
        const change = feed.state.getChangesSince(revision);
        revision = change.revision;
        sendEvent("board", change);
      };
      const stopListening = feed.addListener(sendBoardChange);
      const heartbeat = setInterval(() => sendText(":\n\n"), HEARTBEAT_MS);
      const stopFollowing =
        streamRequest.log === null ? undefined : followLog(context, streamRequest, (piece) => sendEvent("log", piece));
      const releaseStream = () => {
        stopListening();
        clearInterval(heartbeat);
        stopFollowing?.();
        shutdown.removeEventListener("abort", closeStream);
      };
      disconnection.signal.addEventListener("abort", releaseStream, { once: true });
      shutdown.addEventListener("abort", closeStream, { once: true });
      sendText(":\n\n");
      sendBoardChange();
    },
    cancel: () => disconnection.abort(),
  });
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}

/** Maximum number of chunks that are buffered for a page. */
const MAX_BUFFERED_CHUNKS = 200;

const textEncoder = new TextEncoder();

/** Polls a log and sends its new text. Returns a function that stops polling. */
function followLog(
  context: PlannerContext,
  wishes: BoardStreamRequest,
  sendChunk: (piece: LogChunk) => void,
): () => void {
  const id = wishes.log ?? "";
  let offset = wishes.offset;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const checkLog = async (): Promise<void> => {
    const next = await readNextLogChunk(context, id, offset);
    if (isOver) return;
    if (next !== null) {
      if (next.text !== "" || next.fresh) sendChunk(next);
      offset = next.offset;
    }
    timer = setTimeout(() => void checkLog(), next?.text === "" || next === null ? LOG_POLL_MS : 0);
  };
  void checkLog();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Reads the next piece of a log; null if there is no log. */
async function readNextLogChunk(context: PlannerContext, id: string, offset: number | null): Promise<LogChunk | null> {
  const args = offset === null ? { id, lines: INITIAL_LOG_LINES } : { id, offset };
  try {
    const { value } = await runTool(context, logTool, args);
    return { id, text: value.content, offset: value.byte_offset, fresh: offset === null };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    // The stored offset is wrong only if the log was replaced by a shorter one.
    return error.kind === "invalid_argument" && offset !== null ? { id, text: "", offset: 0, fresh: true } : null;
  }
}
