import type { SpecId } from "../../spec/spec_id.ts";
import { requestName } from "../../work/requests/request_note.ts";
import type { RunDeps } from "../run_types.ts";

/**
 * Returns a sentence about the pull request that stays open at the forge when the work is merged or rejected here; none
 * without one.
 */
export async function openRequest({ ports }: Pick<RunDeps, "ports">, id: SpecId): Promise<readonly string[]> {
  const note = (await ports.requests.notes()).get(id);
  if (note === undefined || note.state !== "open") return [];
  return [`its ${requestName(note)} may still be open: ${note.url}`];
}
