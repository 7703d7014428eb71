import { createHash } from "node:crypto";
import type { Caller, Principal } from "#dc/context.ts";
import { listAllWindows } from "#dc/every_window.ts";
import { refuse } from "#dc/model/refusal.ts";
import { writeWindowCalendar } from "#dc/operations/planning/windows/window_calendar.ts";
import type { DcService } from "#dc/service.ts";
import type { FindPrincipal } from "#interfaces/connect/caller.ts";
import { hasCurrentCopy } from "./etag.ts";

export const CALENDAR_PATH = "/windows.ics";

/** Finds the calendar's subscriber by the secret in the address. @throws OperationError unauthenticated */
export type FindSubscriber = (secret: string) => Promise<Principal>;

interface CalendarAccess {
  readonly findPrincipal: FindPrincipal;
  /** Finds a subscriber; absent without a token file, and then the calendar has the access rules of other reads. */
  readonly findSubscriber?: FindSubscriber | undefined;
}

/**
 * Authenticates the reader of the calendar. The secret in the address grants access to the calendar only; without a
 * secret, the rules of other reads apply.
 * @throws Refusal for another parameter, for several secrets, and for an unknown secret
 */
export async function findCalendarReader(
  { url, headers }: Request,
  { findPrincipal, findSubscriber }: CalendarAccess,
): Promise<Principal | undefined> {
  const parameters = new URL(url).searchParams;
  for (const name of parameters.keys()) {
    if (name === "secret") continue;
    // The parameter's name may be the secret itself, given without "secret=".
    throw refuse("UNKNOWN_FIELD", "Unknown parameter in the address: expected secret=<secret>", { expected: "secret" });
  }
  const [secret, ...more] = parameters.getAll("secret");
  if (more.length > 0)
    throw refuse("DUPLICATE", `Parameter "secret" is given ${more.length + 1} times: expected one`, {
      field: "secret",
    });
  if (secret === undefined || findSubscriber === undefined) return findPrincipal(headers.get("authorization"));
  return findSubscriber(secret);
}

/** Returns all windows as an iCalendar file. @throws OperationError for a refusal */
export async function answerCalendar(request: Request, service: DcService, caller: Caller): Promise<Response> {
  const { windows } = await listAllWindows(service, caller);
  const body = writeWindowCalendar(windows, { instance: service.calendarInstance, now: Date.now() });
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  // Programs may cache the file; a proxy must not, since the address contains a secret.
  const headers = { etag, "cache-control": "private, no-cache" };
  if (hasCurrentCopy(request.headers, etag)) return new Response(null, { status: 304, headers });
  return new Response(body, {
    headers: {
      ...headers,
      "content-type": "text/calendar; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      "content-disposition": 'inline; filename="windows.ics"',
    },
  });
}
