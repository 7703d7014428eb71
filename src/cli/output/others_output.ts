import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import type { OtherCloneClaim } from "#planner/store/remote_claims/shared_claims.ts";
import { formatDuration } from "#planner/work/claims/decide_claim.ts";
import { sanitizeLine } from "./print.ts";

/** A claim of another clone, as commands print it in JSON. */
export interface PrintedClaim {
  readonly spec_id: string;
  readonly state: OtherCloneClaim["state"];
  readonly by: string;
  readonly seen_seconds: number;
}

/** Reads the claims of other clones, sorted by spec; undefined without a remote for claims or without settings. */
export async function readOthersClaims(context: PlannerContext): Promise<readonly PrintedClaim[] | undefined> {
  try {
    if ((await context.settings("claims")).claims.remote === null) return undefined;
    const others = await (await context.openRuns()).claims.listOtherClaims();
    return others.map(({ id, state, by, seenForMs }) => {
      return { spec_id: id, state, by, seen_seconds: Math.round(seenForMs / 1000) };
    });
  } catch (error) {
    if (error instanceof OperationError) return undefined;
    throw error;
  }
}

/** Formats one line per claim; empty without claims. */
export function formatOthersClaims(others: readonly PrintedClaim[] = []): string {
  const line = ({ spec_id, state, by, seen_seconds }: PrintedClaim): string => {
    const what = state === "done" ? "finished" : "worked on";
    return sanitizeLine(
      `${spec_id}: ${what} by ${by} in another clone (seen for ${formatDuration(seen_seconds * 1000)})`,
    );
  };
  return others.map((one) => `${line(one)}\n`).join("");
}
