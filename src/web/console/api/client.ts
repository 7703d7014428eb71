import { useCallback, useEffect, useState } from "preact/hooks";
import type { RenderResult, Rpcs } from "#gen/datacenter/v1/json.ts";
import { browserValues, Listeners, tabValues, useCurrentValue } from "../../shared/browser.ts";
import { readParts } from "../../shared/read_events.ts";
import { simplifyMessage } from "../labels.ts";
import { keepReplyCurrent } from "../live/changes.ts";
import type { InventoryOverview } from "./replies.ts";

const MAIN_SERVICE = "datacenter.v1.DatacenterService";

/** One field of a request that the server rejected. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Error of a failed call, with a message for the person. */
export class CallError extends Error {
  /** Canonical code such as `not_found`; `offline` if the server did not reply. */
  readonly code: string;
  readonly reason: string;
  readonly violations: readonly FieldViolation[];

  constructor(
    code: string,
    message: string,
    { reason = "", violations = [] }: { reason?: string; violations?: readonly FieldViolation[] } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.violations = violations;
  }
}

/** Returns a caught CallError unchanged; any other error becomes a CallError with the code `internal`. */
export function convertToCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError("internal", "The answer could not be read.");
}

interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type?: string; readonly debug?: ErrorDetail }[];
}

/** Fields of an error detail; an item of a bulk call has details of the same types. */
export interface ErrorDetail {
  readonly reason?: string;
  readonly field_violations?: readonly FieldViolation[];
}

/** Name of an RPC of the main service, or `<service>/<name>` for another service. */
type RpcName = keyof Rpcs;

/** Request of an RPC with every field optional. */
export type RpcRequest<Name extends RpcName> = PartialMessage<Rpcs[Name]["request"]>;

/** Type with every field optional. Enum values may be any text, as a URL may contain it; the server checks them. */
type PartialMessage<Value> = Value extends readonly (infer Item)[]
  ? readonly PartialMessage<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: PartialMessage<Value[Name]> | undefined }
    : Value extends string
      ? string
      : Value;

export type RpcReply<Name extends RpcName> = Rpcs[Name]["reply"];

/** RPCs whose reply contains a picture. */
export type PictureRpc = {
  [Name in RpcName]: RpcReply<Name> extends { readonly render?: RenderResult } ? Name : never;
}[RpcName];

/** Calls an RPC by Connect JSON, or throws CallError; an aborted call throws the signal's reason. */
export async function callRpc<Name extends RpcName>(
  rpc: Name,
  request: RpcRequest<Name>,
  signal?: AbortSignal,
): Promise<RpcReply<Name>> {
  return callRpcByName(rpc, request, signal);
}

/** Calls an RPC whose name is known only at run time. @throws CallError, as `callRpc` does. */
export async function callRpcByName<Answer>(rpc: string, request: object, signal?: AbortSignal): Promise<Answer> {
  return fetchReply(rpc.includes("/") ? `/${rpc}` : `/${MAIN_SERVICE}/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: signal ?? null,
  });
}

/** Reads a plain JSON route, or throws CallError. */
export async function readJsonRoute<Reply>(
  path: string,
  parameters: Readonly<Record<string, string | readonly string[]>>,
  signal?: AbortSignal,
): Promise<Reply> {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === "" ? [] : [[name, one]])),
  );
  const query = new URLSearchParams(given).toString();
  return fetchReply(query === "" ? path : `${path}?${query}`, { signal: signal ?? null });
}

/** Sends a file and passes the JSON lines of the reply as they arrive. @throws CallError, or the signal's reason */
export async function sendFile<Event>(
  path: string,
  { body, type, signal }: { readonly body: string; readonly type: string; readonly signal: AbortSignal },
  reportEvents: (events: readonly Event[]) => void,
): Promise<void> {
  const init = { method: "POST", headers: { "content-type": type }, body, signal };
  await fetchWithToken(path, init, async (response) => {
    if (!response.ok || response.body === null) throw parseCallError(response.status, await response.text());
    for await (const lines of readParts(response.body, "\n"))
      reportEvents(lines.map((line) => JSON.parse(line) as Event));
  });
}

async function fetchReply<Reply>(path: string, init: RequestInit): Promise<Reply> {
  const { ok, status, text } = await fetchText(path, init);
  if (ok) return JSON.parse(text) as Reply;
  throw parseCallError(status, text);
}

/** Fetches a reply with its whole text, because the connection may break while the text arrives. */
function fetchText(path: string, init: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
  return fetchWithToken(path, init, async (response) => {
    return { ok: response.ok, status: response.status, text: await response.text() };
  });
}

async function fetchWithToken<Reply>(
  path: string,
  init: RequestInit,
  read: (response: Response) => Promise<Reply>,
): Promise<Reply> {
  const headers = new Headers(init.headers);
  const known = tokenStore.value();
  if (known !== "") headers.set("authorization", `Bearer ${known}`);
  try {
    return await read(await fetch(path, { ...init, headers, credentials: "omit" }));
  } catch (error) {
    if (init.signal?.aborted === true || error instanceof CallError) throw error;
    throw new CallError("offline", "The server does not answer. It may be restarting, or the network is down.");
  }
}

function parseCallError(status: number, text: string): CallError {
  const {
    code = `http_${status}`,
    message = `The server answered with status ${status}`,
    details = [],
  } = parseErrorBody(text);
  return new CallError(code, simplifyMessage(message), parseErrorDetails(details.map(({ debug }) => debug ?? {})));
}

/** Returns the first reason of error details, and all of their violations. */
export function parseErrorDetails(details: readonly ErrorDetail[]) {
  const violations = details.flatMap(({ field_violations = [] }) => field_violations);
  return {
    reason: details.find(({ reason }) => reason !== undefined)?.reason ?? "",
    violations: violations.map(({ field, description }) => ({ field, description: simplifyMessage(description) })),
  };
}

function parseErrorBody(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}

/** The signed-in principal and its roles, as `GET /session` returns them. */
export interface Session {
  readonly auth_required: boolean;
  /** Name of the principal; empty for an anonymous caller. */
  readonly principal: string;
  readonly roles: readonly string[];
}

/** Loads the session, and loads it again whenever the token changes. */
export function useSession(): CallState<Session> {
  return useRouteCall<Session>("/session", {});
}

/** Whether the caller may write; false while that is unknown, so that no action is offered that would fail. */
export function canWrite(session: Session | undefined): boolean {
  return session?.roles.some((role) => role === "writer" || role === "admin") === true;
}

/** Listeners that load their data again after this page has changed the inventory. */
export const inventoryWriteListeners = new Listeners();

/** Loads the inventory overview: counts by site, floor and fabric, with totals. */
export function useInventory(): CallState<InventoryOverview> {
  return useRouteCall<InventoryOverview>("/estate", {});
}

/**
 * Storage key of the caller's token. The browser deletes the token with the tab, unless the person chose to keep it in
 * this browser.
 */
const TOKEN_KEY = "planner-token";
const tokenListeners = new Listeners();

export const tokenStore = {
  value(): string {
    return tabValues.get(TOKEN_KEY) ?? browserValues.get(TOKEN_KEY) ?? "";
  },
  /** Whether the browser keeps the token after this tab is closed. */
  isKept(): boolean {
    return browserValues.get(TOKEN_KEY) !== null;
  },
  set(value: string, { keep = false }: { readonly keep?: boolean } = {}): void {
    tabValues.remove(TOKEN_KEY);
    browserValues.remove(TOKEN_KEY);
    if (value !== "") (keep ? browserValues : tabValues).set(TOKEN_KEY, value);
    tokenListeners.notify();
  },
  subscribe: tokenListeners.subscribe,
};

/** A call that the server rejected and that waits for a new token. */
interface WaitingCall {
  readonly message: string;
  readonly retry: () => void;
  readonly cancel: () => void;
}

let waitingCalls: readonly WaitingCall[] = [];
const signInListeners = new Listeners();

function setWaitingCalls(next: readonly WaitingCall[]): void {
  waitingCalls = next;
  signInListeners.notify();
}

/** Calls that the server rejected for lack of a valid token. They are sent again after the person enters one. */
export const waitingSignIns = {
  /** Returns the error message of the first waiting call, or undefined if none waits. */
  message(): string | undefined {
    return waitingCalls[0]?.message;
  },
  cancelAll(): void {
    for (const one of waitingCalls) one.cancel();
    setWaitingCalls([]);
  },
  subscribe: signInListeners.subscribe,
};

tokenStore.subscribe(() => {
  const ready = waitingCalls;
  if (ready.length === 0 || tokenStore.value() === "") return;
  setWaitingCalls([]);
  for (const one of ready) one.retry();
});

/** Runs a call; if it needs a valid token, asks the person for one and repeats the call. @throws CallError. */
export async function callWithSignIn<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== "unauthenticated") throw error;
      await new Promise<void>((go, refuse) => {
        const giveUp = () => refuse(error);
        setWaitingCalls([...waitingCalls, { message: error.message, retry: go, cancel: giveUp }]);
      });
    }
  }
}

/** RPCs that can return the state during a maintenance window. */
type DuringWindowRpc = {
  [Name in keyof Rpcs]: Rpcs[Name]["request"] extends { during_window?: string } ? Name : never;
}[keyof Rpcs];

const DURING_WINDOW_RPCS: Readonly<Record<DuringWindowRpc, true>> = {
  FloorPlan: true,
  GetRack: true,
  GetDevice: true,
  ThermalHeadroom: true,
  PowerBlastRadius: true,
  "datacenter.v1.PlanningService/RehearseFailures": true,
  "datacenter.v1.PlanningService/GetCapacity": true,
  "datacenter.v1.PlanningService/FindPlacement": true,
  "datacenter.v1.PlanningService/ListInventory": true,
};

const SHOWN_WINDOW_KEY = "planner-during";
const windowListeners = new Listeners();

/** Code of the maintenance window whose state this tab shows; empty for the current state. */
export const shownWindow = {
  code(): string {
    return tabValues.get(SHOWN_WINDOW_KEY) ?? "";
  },
  set(code: string): void {
    if (code === "") tabValues.remove(SHOWN_WINDOW_KEY);
    else tabValues.set(SHOWN_WINDOW_KEY, code);
    windowListeners.notify();
  },
};

export function useShownWindow(): string {
  return useCurrentValue(shownWindow.code, windowListeners.subscribe);
}

/** Returns the request for the state during a window; unchanged if `code` is "" or the RPC does not support windows. */
function addShownWindow<Request>(rpc: keyof Rpcs, request: Request, code: string): Request {
  return code === "" || !(rpc in DURING_WINDOW_RPCS) ? request : { ...request, during_window: code };
}

/** State of a request; `reply` keeps the old reply while a newer one is loading. */
export interface CallState<Reply> {
  readonly reply: Reply | undefined;
  readonly error: CallError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

interface LoadState<Reply> {
  readonly key: string;
  readonly round: number;
  readonly reply?: Reply;
  readonly error?: CallError;
}

/** Calls an RPC, and calls it again whenever the request changes; without a request, calls nothing. */
export function useCall<Name extends RpcName>(
  rpc: Name,
  request: RpcRequest<Name> | undefined,
): CallState<RpcReply<Name>> {
  const asked = addShownWindow(rpc, request ?? ({} as RpcRequest<Name>), useShownWindow());
  const key = request === undefined ? "" : `${rpc} ${JSON.stringify(asked)}`;
  return useLoadedReply(key, (signal) => callRpc(rpc, asked, signal));
}

/** Reads a plain route, and reads it again whenever its parameters change. */
export function useRouteCall<Reply>(path: string, parameters: Readonly<Record<string, string>>): CallState<Reply> {
  const key = `${path} ${JSON.stringify(parameters)}`;
  return useLoadedReply(key, (signal) => readJsonRoute<Reply>(path, parameters, signal));
}

/** Loads a reply with `ask`. Loads it again whenever the key, the token or the inventory changes; "" loads nothing. */
export function useLoadedReply<Reply>(key: string, ask: (signal: AbortSignal) => Promise<Reply>): CallState<Reply> {
  const [state, setState] = useState<LoadState<Reply>>({ key: "", round: 0 });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((value) => value + 1), []);
  useEffect(() => tokenStore.subscribe(reload), [reload]);
  useEffect(() => inventoryWriteListeners.subscribe(reload), [reload]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the request, a new round repeats it
  useEffect(() => {
    if (key === "") return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let answeredAt: number | undefined;
    const showState = (next: LoadState<Reply>) => {
      if (signal.aborted) return;
      if (next.error === undefined) answeredAt = Date.now();
      setState((shown) => (isSameCallState(shown, next) ? shown : next));
    };
    const first = ask(signal).then(
      (reply) => showState({ key, round, reply }),
      (error: unknown) => showState({ key, round, error: convertToCallError(error) }),
    );
    const refreshReply = async () => {
      await first;
      await ask(signal).then(
        (reply) => showState({ key, round, reply }),
        (error: unknown) => {
          const problem = convertToCallError(error);
          // After a temporary failure the older reply stays; the page shows its age.
          if (answeredAt === undefined || !TEMPORARY_ERROR_CODES.has(problem.code))
            showState({ key, round, error: problem });
        },
      );
    };
    const unfollow = keepReplyCurrent({ refreshReply: refreshReply, getReplyTime: () => answeredAt });
    return () => {
      unfollow();
      controller.abort();
    };
  }, [key, round]);
  const current = state.key === key && state.round === round;
  return {
    reply: state.reply,
    error: current ? state.error : undefined,
    loading: key !== "" && !current,
    reload: reload,
  };
}

/** Codes of temporary failures, which do not depend on the request. */
const TEMPORARY_ERROR_CODES: ReadonlySet<string> = new Set([
  "offline",
  "unavailable",
  "resource_exhausted",
  "deadline_exceeded",
]);

/** Whether two states draw the same screen. */
function isSameCallState<Reply>(shown: LoadState<Reply>, next: LoadState<Reply>): boolean {
  if (shown.key !== next.key || shown.round !== next.round || shown.error !== next.error) return false;
  return JSON.stringify(shown.reply) === JSON.stringify(next.reply);
}
