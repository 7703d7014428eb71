import { type Principal, ROLES, type Role } from "#dc/context.ts";

/** Who calls and what they may do; the names are those of the wire. */
export interface Session {
  /** False where the operator lets everyone do everything. */
  readonly auth_required: boolean;
  /** Empty for an anonymous caller. */
  readonly principal: string;
  readonly roles: readonly Role[];
  readonly auth_method: Principal["authMethod"];
}

/** Describes a caller, so that a client offers only what the service would accept. */
export function sessionOf(isAuthRequired: boolean, principal: Principal | undefined): Session {
  return {
    auth_required: isAuthRequired,
    principal: principal?.name ?? "",
    roles: isAuthRequired ? (principal?.roles ?? []) : ROLES,
    auth_method: principal?.authMethod ?? "none",
  };
}
