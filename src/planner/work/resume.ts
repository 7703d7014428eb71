import { OperationError } from "#kernel/errors.ts";
import type { StoredReport } from "#planner/run_ports/process_records.ts";
import type { SpecId } from "../spec/spec_id.ts";
import type { Provider } from "./providers.ts";

/** Sessions come from what an agent printed: none may read as a flag or a placeholder. */
const SESSION = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$/;

/**
 * Returns the session of the agent that the last run of the spec recorded.
 *
 * @param reports oldest first
 * @throws OperationError `failed_precondition` that says why no session can be continued
 */
export function sessionToResume(
  id: SpecId,
  { name, row }: Pick<Provider, "name" | "row">,
  reports: readonly StoredReport[],
): string {
  const refuse = (why: string): never => {
    throw new OperationError("failed_precondition", `Cannot resume work on spec '${id}': ${why}`);
  };
  const advice = `"planner work ${id}" goes on in a new session`;
  if (row.resumeArgs === null) return refuse(`${name} cannot continue a session: ${advice}`);
  const last = reports.findLast(({ spec_id, session }) => spec_id === id && session !== null);
  if (last === undefined || last.session === null) return refuse(`no run has recorded a session: ${advice}`);
  if (last.agent !== name) return refuse(`its last session is one of ${last.agent}, not of ${name}: ${advice}`);
  if (!SESSION.test(last.session))
    return refuse(`expected a session's name, got ${JSON.stringify(last.session.slice(0, 60))}`);
  return last.session;
}
