import type { Caller, DcContext, Role } from "./context.ts";
import { refuse } from "./model/refusal.ts";
import type { Rpc } from "./operations/rpc.ts";

type AuthPolicy = Pick<DcContext, "authRequired">;

/** Requires a principal if tokens are required. @throws OperationError unauthenticated */
export function requirePrincipal({ authRequired }: AuthPolicy, { principal }: Pick<Caller, "principal">): void {
  if (!authRequired || principal !== undefined) return;
  throw refuse("UNAUTHENTICATED", "This call needs a token: expected Authorization: Bearer");
}

/** Roles that may make a call, by its effect. */
export const ALLOWED_ROLES: Readonly<Record<Rpc["effect"], readonly Role[]>> = {
  read: ["reader", "writer", "admin"],
  write: ["writer", "admin"],
  preview: ["writer", "admin"],
  report: ["meter", "writer", "admin"],
};

/** Checks the caller's role, before the request is read. @throws OperationError unauthenticated or permission_denied */
export function authorizeCall(
  rule: AuthPolicy,
  { effect, method }: { readonly effect: Rpc["effect"]; readonly method: string },
  caller: Pick<Caller, "principal">,
): void {
  requirePrincipal(rule, caller);
  const { principal } = caller;
  if (!rule.authRequired || principal === undefined) return;
  // Principals without roles may read, because subscribers of the calendar have none.
  if (effect === "read" && principal.roles.length === 0) return;
  if (principal.roles.some((role) => ALLOWED_ROLES[effect].includes(role))) return;
  const roles = ALLOWED_ROLES[effect];
  const expected = `${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`;
  throw refuse("PERMISSION_DENIED", `"${principal.name}" may not call ${method}: expected role ${expected}`);
}
