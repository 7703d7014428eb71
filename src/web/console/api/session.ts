import { type Asked, useRead } from "./use_call.ts";

/** Who is signed in and what they may do, as `GET /session` answers. */
export interface Session {
  readonly auth_required: boolean;
  /** Empty for an anonymous caller. */
  readonly principal: string;
  readonly roles: readonly string[];
  readonly auth_method: string;
}

/** Asks again whenever the token changes. */
export function useSession(): Asked<Session> {
  return useRead<Session>("/session", {});
}

/** Whether writes would be accepted; false while it is not known, so that nothing is offered that fails. */
export function mayWrite(session: Session | undefined): boolean {
  return session?.roles.some((role) => role === "writer" || role === "admin") === true;
}
