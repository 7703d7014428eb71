import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Context, Hono } from "hono";
import { createPageHandler } from "#interfaces/http/pages.ts";
import { type ErrorKind, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { BOARD_TOOLS } from "#planner/board/board_tools.ts";
import { createChangedError, guardSeenText } from "#planner/board/seen_store.ts";
import { readSpecPage } from "#planner/board/spec_page.ts";
import type { BoardChoices, BoardData, CommandRefusal, CommandResult } from "#planner/board/wire.ts";
import type { PlannerContext } from "#planner/context.ts";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import { runTool } from "#planner/service.ts";
import type { BoardAccess } from "./access.ts";
import { BoardFeed } from "./board_feed.ts";
import { createEventStream } from "./event_stream.ts";

export interface BoardOptions {
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

export const BOARD_STREAM_PATH = "/stream";

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
