import type { Caller, DcContext, Role } from "./context.ts";
import { refuse } from "./model/refusal.ts";
import type { Rpc } from "./operations/rpc.ts";

type Rule = Pick<DcContext, "authRequired">;

/** Demands a principal where tokens are required. @throws OperationError unauthenticated */
export function demandPrincipal({ authRequired }: Rule, { principal }: Pick<Caller, "principal">): void {
  if (!authRequired || principal !== undefined) return;
  throw refuse("UNAUTHENTICATED", "This call needs a token: expected Authorization: Bearer");
}

/** Roles that may make a call, by its effect. */
export const MAY: Readonly<Record<Rpc["effect"], readonly Role[]>> = {
  read: ["reader", "writer", "admin"],
  write: ["writer", "admin"],
  preview: ["writer", "admin"],
  report: ["meter", "writer", "admin"],
};

/**
 * Checks the caller's role before anything is read.
 *
 * @throws OperationError unauthenticated or permission_denied
 */
export function authorise(
  rule: Rule,
  { effect, method }: { readonly effect: Rpc["effect"]; readonly method: string },
  caller: Pick<Caller, "principal">,
): void {
  demandPrincipal(rule, caller);
  const { principal } = caller;
  if (!rule.authRequired || principal === undefined) return;
  // A subscriber of the calendar reads without a role.
  if (effect === "read" && principal.roles.length === 0) return;
  if (principal.roles.some((role) => MAY[effect].includes(role))) return;
  const roles = MAY[effect];
  const expected = `${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`;
  throw refuse("PERMISSION_DENIED", `"${principal.name}" may not call ${method}: expected role ${expected}`);
}
