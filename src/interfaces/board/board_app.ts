import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { type ErrorKind, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { BoardState } from "#planner/board/board_state.ts";
import { BoardFactsReader } from "#planner/board/facts_reader.ts";
import { BOARD_TOOLS, createChangedError, guardSeenText, readSpecPage } from "#planner/board/spec_page.ts";
import type { BoardChoices, BoardData, CommandRefusal, CommandResult, LogChunk } from "#planner/board/wire.ts";
import type { PlannerContext } from "#planner/context.ts";
import { logTool } from "#planner/operations/log.ts";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import { runTool } from "#planner/service.ts";
import { createPageHandler } from "../http/pages.ts";
import type { BoardAccess } from "./access.ts";

/** Interval of checks of a followed log, in milliseconds. */
const LOG_POLL_MS = 200;
/** Interval in milliseconds between comments on a stream, which reveal a lost connection. */
const HEARTBEAT_MS = 15_000;
/** Number of log lines in the first event about a log. */
const INITIAL_LOG_LINES = 400;

const EVENT_STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };

interface BoardStreamRequest {
  readonly revision: number;
  /** Id of the spec whose log the page shows, or null. */
  readonly log: string | null;
  /** Offset up to which the page has read the log; null if it has read nothing. */
  readonly offset: number | null;
}

/** Sends changes of the board, and of one log, as server-sent events until one side ends the connection. */
function createEventStream(
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

/** Interval of checks of the project while a page listens, in milliseconds. */
const CHECK_INTERVAL_MS = 400;
/** Intended pause as a multiple of the duration of a check: a check of ten thousand specs takes 60 ms. */
const PAUSE_PER_CHECK = 3;
/** Maximum time until a change is noticed, in milliseconds, while a check takes no more than a third of it. */
const MAX_NOTICE_DELAY_MS = 900;

/**
 * Returns the pause after a check, in milliseconds. A change just after a check is noticed at the end of the next one,
 * so the longest delay is two checks and the pause. The pause is at least as long as the check.
 */
export function computePauseMs(checkMs: number): number {
  const shared = Math.max(CHECK_INTERVAL_MS, PAUSE_PER_CHECK * checkMs);
  return Math.max(checkMs, Math.min(shared, MAX_NOTICE_DELAY_MS - 2 * checkMs));
}

/** Keeps the state of the board current: on request, and continuously while a page listens. Reads nothing otherwise. */
class BoardFeed {
  readonly state = new BoardState();
  readonly #reader: BoardFactsReader;
  readonly #reportDefect: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #runningCheck: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: PlannerContext, report: (error: unknown) => void) {
    this.#reader = new BoardFactsReader(context);
    this.#reportDefect = report;
  }

  /** Reads the current state of the project. @throws OperationError if its folders cannot be read */
  async refreshState(): Promise<BoardState> {
    // A check that is already running may have missed the latest write.
    await this.#runningCheck?.catch(() => {});
    this.#runningCheck ??= this.#checkProject().finally(() => {
      this.#runningCheck = undefined;
    });
    await this.#runningCheck;
    return this.state;
  }

  /** Calls `changed` after each change until the returned function is called. */
  addListener(changed: () => void): () => void {
    this.#listeners.add(changed);
    if (this.#timer === undefined) this.#scheduleCheck(0);
    return () => {
      this.#listeners.delete(changed);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #scheduleCheck(afterMs: number): void {
    this.#timer = setTimeout(async () => {
      const began = performance.now();
      await this.refreshState().catch(this.#reportDefect);
      if (this.#listeners.size > 0) this.#scheduleCheck(computePauseMs(performance.now() - began));
      else this.#timer = undefined;
    }, afterMs);
  }

  async #checkProject(): Promise<void> {
    const facts = await this.#reader.readFacts();
    if (facts === null || !this.state.updateFacts(facts)) return;
    for (const changed of this.#listeners) changed();
  }
}

interface BoardOptions {
  readonly context: PlannerContext;
  readonly access: BoardAccess;
  /** Name of the project in its settings, else the name of its folder. */
  readonly project: string;
  readonly loadChoices: () => Promise<BoardChoices>;
  readonly loadPage: () => Promise<string | undefined>;
  /** Review decisions; each returns the result as text. @throws OperationError for a refusal */
  readonly review: ReviewActions;
  /** Called for an error that is a defect of the program. */
  readonly reportDefect: (error: unknown) => void;
  readonly shutdown: AbortSignal;
}

/** Actions of `planner review` with `--accept`, `--back` and `--reject`. */
export interface ReviewActions {
  accept(id: string): Promise<string>;
  back(id: string, text: string): Promise<string>;
  reject(id: string): Promise<string>;
}

const BOARD_STREAM_PATH = "/stream";

/** Maximum size of a request body in bytes: more than the longest text of a spec. */
const MAX_REQUEST_BODY_BYTES = 4 * 1024 * 1024;
/** Minimum size in bytes of replies that are compressed. */
const MIN_COMPRESSED_BYTES = 4096;

const HTTP_STATUS_BY_ERROR_KIND: Readonly<
  Record<ErrorKind, 400 | 401 | 403 | 404 | 409 | 413 | 422 | 501 | 503 | 504>
> = {
  invalid_argument: 400,
  not_found: 404,
  already_exists: 409,
  failed_precondition: 422,
  aborted: 409,
  permission_denied: 403,
  unauthenticated: 401,
  resource_exhausted: 413,
  deadline_exceeded: 504,
  unimplemented: 501,
  unavailable: 503,
};

/** Returns the board's routes. All except the page itself require the cookie and the key, see `BoardAccess`. */
export function createBoardApp(options: BoardOptions): Hono {
  const { context, access, shutdown } = options;
  const feed = new BoardFeed(context, options.reportDefect);
  // Starts reading while the browser starts. A request for the board reports any error.
  feed.refreshState().catch(() => {});
  const page = createPageHandler(options.loadPage);
  const app = new Hono();
  app.use(async (request, next) => {
    const { headers } = request.req.raw;
    const isPage = request.req.path === "/" && request.req.method === "GET";
    const refused =
      access.refuseForeignPage(headers, isPage) ?? (isPage ? undefined : access.refuseUnauthenticated(headers));
    if (refused === undefined) await next();
    else request.res = request.json({ kind: "permission_denied", message: refused.message }, refused.status);
    request.header("x-content-type-options", "nosniff");
    request.header("cross-origin-resource-policy", "same-origin");
    if (!request.res.headers.has("cache-control")) request.header("cache-control", "no-store");
  });
  app.get("/", (request) => {
    const given = request.req.query("open");
    if (given === undefined) return page(request.req.raw);
    const opened = access.exchangeSecret(given);
    if (opened !== undefined) {
      const headers = { location: opened.location, "set-cookie": opened.cookie, "referrer-policy": "no-referrer" };
      return new Response(null, { status: 303, headers });
    }
    if (access.hasCookie(request.req.raw.headers)) return request.redirect("/", 303);
    return request.text('This address was used before. Run "planner board" again for a new one.\n', 403);
  });
  app.get("/board", async (request) => replyJson(request, await collectBoardData(options, feed)));
  app.get("/picture", async (request) => replyJson(request, (await feed.refreshState()).getPicture()));
  app.get("/spec", async (request) =>
    replyJson(request, await readSpecPage(context, requireQueryValue(request, "id"), hashText)),
  );
  app.get("/difference", async (request) => {
    const from = parseCommitHash(requireQueryValue(request, "from"));
    const to = parseCommitHash(requireQueryValue(request, "to"));
    const { differences } = await context.openRuns();
    return replyJson(request, { text: await differences.readPatch({ from, to }, requireQueryValue(request, "path")) });
  });
  app.get(BOARD_STREAM_PATH, (request) => {
    const offset = request.req.query("offset");
    return createEventStream(
      { context, feed, shutdown },
      {
        revision: parseOffset(requireQueryValue(request, "revision"), "revision"),
        log: request.req.query("log") ?? null,
        offset: offset === undefined ? null : parseOffset(offset, "offset"),
      },
    );
  });
  app.post("/do", async (request) =>
    replyJson(request, await runCommand(options, feed, await readCommand(request.req.raw))),
  );
  app.notFound((request) => request.json({ kind: "not_found", message: "There is nothing at this address" }, 404));
  app.onError((error, request) => {
    if (error instanceof OperationError) {
      const { kind, message } = error;
      const refused: CommandRefusal = { kind, message, ...(kind === "aborted" && { conflict: true }) };
      return request.json(refused, HTTP_STATUS_BY_ERROR_KIND[kind]);
    }
    options.reportDefect(error);
    return request.json({ kind: "internal", message: "The board failed: see the terminal it runs in" }, 500);
  });
  return app;
}

async function collectBoardData({ project, loadChoices }: BoardOptions, feed: BoardFeed): Promise<BoardData> {
  const state = await feed.refreshState();
  return { ...state.getTotals(), project, choices: await loadChoices(), cards: state.listCards() };
}

interface BoardCommand {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Hash of the file as the person saw it before editing. */
  readonly seen: string | null;
  /** Revision of the board that the person edited. */
  readonly revision: number | null;
}

async function runCommand(options: BoardOptions, feed: BoardFeed, command: BoardCommand): Promise<CommandResult> {
  const { context } = options;
  const { id: named, text: words } = command.args;
  if (isReviewAction(command.tool)) {
    const id = await findSpecId(context, String(named), { archived: true });
    return { text: await options.review[command.tool](id, String(words ?? "")), spec_id: id };
  }
  const entry = BOARD_TOOLS.get(command.tool);
  if (entry === undefined) {
    const expected = [...BOARD_TOOLS.keys(), ...REVIEW_ACTIONS].join(", ");
    throw new OperationError("invalid_argument", `Invalid tool "${command.tool}": expected one of ${expected}`);
  }
  const guarded = entry.isWrite ? await createGuardedContext(context, feed, command) : context;
  const { value, text } = await runTool(guarded, entry.tool, command.args);
  const id = isJsonObject(value) && typeof value["spec_id"] === "string" ? value["spec_id"] : null;
  return { text: text ?? JSON.stringify(value), spec_id: id };
}

const REVIEW_ACTIONS = ["accept", "back", "reject"] as const;

function isReviewAction(tool: string): tool is keyof ReviewActions {
  return (REVIEW_ACTIONS as readonly string[]).includes(tool);
}

/** Returns a context that refuses to change a spec if it differs from the spec that the person saw. */
async function createGuardedContext(
  context: PlannerContext,
  feed: BoardFeed,
  { args, seen, revision }: BoardCommand,
): Promise<PlannerContext> {
  const id = await findSpecId(context, String(args["id"]), { archived: false });
  if (seen !== null) return { ...context, specs: guardSeenText(context.specs, id, (text) => hashText(text) === seen) };
  if (revision === null) {
    throw new OperationError("invalid_argument", 'Missing "seen": expected the digest of the spec, or a "revision"');
  }
  const before = await context.specs.readText(id);
  const state = await feed.refreshState();
  if ((state.findCardVersion(id) ?? 0) > revision) throw createChangedError(id);
  return { ...context, specs: guardSeenText(context.specs, id, (text) => text === before.text) };
}

async function readCommand(request: Request): Promise<BoardCommand> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new OperationError("invalid_argument", "Expected Content-Type application/json");
  }
  const body = parseJsonBody(await readRequestText(request));
  if (!isJsonObject(body) || typeof body["tool"] !== "string" || !isJsonObject(body["args"])) {
    throw new OperationError("invalid_argument", 'Invalid body: expected an object with "tool" and "args"');
  }
  const { tool, args, seen, revision } = body;
  return {
    tool,
    args,
    seen: typeof seen === "string" ? seen : null,
    revision: typeof revision === "number" ? revision : null,
  };
}

async function readRequestText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > MAX_REQUEST_BODY_BYTES) {
      throw new OperationError(
        "resource_exhausted",
        `The body is too large: expected at most ${MAX_REQUEST_BODY_BYTES} bytes`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperationError("invalid_argument", "Cannot read the body: expected JSON");
  }
}

function requireQueryValue(request: Context, name: string): string {
  const value = request.req.query(name);
  if (value !== undefined) return value;
  throw new OperationError("invalid_argument", `Missing parameter "${name}"`);
}

function parseOffset(text: string, name: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new OperationError("invalid_argument", `Invalid ${name} "${text}": expected a number from 0`);
}

/** Parses a full commit hash. @throws OperationError for other text, which Git could read as an option or a name */
function parseCommitHash(text: string): string {
  if (/^[0-9a-f]{40,64}$/.test(text)) return text;
  throw new OperationError("invalid_argument", `Invalid commit "${text}": expected a full hash`);
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

const compressGzip = promisify(gzip);

async function replyJson(request: Context, value: object): Promise<Response> {
  const text = JSON.stringify(value);
  const headers = { "content-type": "application/json; charset=utf-8" };
  const accepts = /\bgzip\b/.test(request.req.header("accept-encoding") ?? "");
  if (!accepts || text.length < MIN_COMPRESSED_BYTES) return new Response(text, { headers });
  return new Response(await compressGzip(text, { level: 1 }), { headers: { ...headers, "content-encoding": "gzip" } });
}

/** Returns whether the reply is a stream, which continues until one side closes it. */
export function isBoardStream({ url = "" }: { readonly url?: string | undefined }): boolean {
  return url.split("?", 1)[0] === BOARD_STREAM_PATH;
}

/** Serves the board to requests of Node's HTTP server. */
export function createBoardHandler(
  options: BoardOptions,
): (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  const listener = getRequestListener(createBoardApp(options).fetch, { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}
