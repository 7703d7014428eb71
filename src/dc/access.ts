import type { Caller, DcContext } from "./context.ts";
import { refuse } from "./model/refusal.ts";
import type { Rpc } from "./operations/rpc.ts";

type Rule = Pick<DcContext, "authRequired">;

/** Demands a principal where tokens are required. @throws OperationError unauthenticated */
export function demandPrincipal({ authRequired }: Rule, { principal }: Pick<Caller, "principal">): void {
  if (!authRequired || principal !== undefined) return;
  throw refuse("UNAUTHENTICATED", "This call needs a token: expected Authorization: Bearer");
}

/**
 * Checks the caller's role before anything is read: reads are open to every principal, writes to writers and admins.
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
  if (effect === "read" || principal === undefined) return;
  if (!rule.authRequired || principal.roles.includes("writer") || principal.roles.includes("admin")) return;
  throw refuse("PERMISSION_DENIED", `"${principal.name}" may not call ${method}: expected role writer or admin`);
}
