import { type CallState, useRouteCall } from "./use_call.ts";

/** The signed-in principal and its roles, as `GET /session` returns them. */
export interface Session {
  readonly auth_required: boolean;
  /** Name of the principal; empty for an anonymous caller. */
  readonly principal: string;
  readonly roles: readonly string[];
  readonly auth_method: string;
}

/** Loads the session, and loads it again whenever the token changes. */
export function useSession(): CallState<Session> {
  return useRouteCall<Session>("/session", {});
}

/** Whether the caller may write; false while that is unknown, so that no action is offered that would fail. */
export function canWrite(session: Session | undefined): boolean {
  return session?.roles.some((role) => role === "writer" || role === "admin") === true;
}
