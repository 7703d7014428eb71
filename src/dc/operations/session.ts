import { type Principal, ROLES, type Role } from "#dc/context.ts";

/** The caller and its permissions, with the names of the wire. */
export interface Session {
  /** False if the operator disabled authentication. */
  readonly auth_required: boolean;
  /** Empty for an anonymous caller. */
  readonly principal: string;
  readonly roles: readonly Role[];
  readonly auth_method: Principal["authMethod"];
}

/** Describes a caller, so that a client offers only operations that the service would accept. */
export function sessionOf(isAuthRequired: boolean, principal: Principal | undefined): Session {
  return {
    auth_required: isAuthRequired,
    principal: principal?.name ?? "",
    roles: isAuthRequired ? (principal?.roles ?? []) : ROLES,
    auth_method: principal?.authMethod ?? "none",
  };
}
