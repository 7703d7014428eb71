import type { PlannerContext } from "#planner/context.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { plainLine } from "../output/plain_text.ts";
import type { Candidate } from "./candidates.ts";

/** So many titles are looked up at most; reading every spec would make a person wait for the tab key. */
const MOST_TITLES = 30;

/**
 * The ids that begin with the given text or, without any, those that contain it, because commands accept partial ids.
 *
 * Ids with characters that a shell interprets are omitted. Cost: a listing of the folder, and the files of the first
 * `MOST_TITLES` candidates for their titles.
 */
export async function specCandidates(
  context: PlannerContext,
  current: string,
  archived: boolean,
): Promise<readonly Candidate[]> {
  const all = [...(await context.specs.ids()), ...(archived ? await context.specs.archivedIds() : [])];
  const ids = all.filter((id) => /^[\w.+-]+$/.test(id));
  const begun = ids.filter((id) => id.startsWith(current));
  const found = begun.length > 0 ? begun : ids.filter((id) => id.includes(current));
  if (found.length > MOST_TITLES) return found.map((word) => ({ word, summary: "" }));
  return Promise.all(found.map(async (word) => ({ word, summary: await titleFor(context, word) })));
}

async function titleFor(context: PlannerContext, id: SpecId): Promise<string> {
  try {
    return plainLine((await context.specs.load(id)).title ?? "");
  } catch {
    // A file that cannot be read still has an id to complete.
    return "";
  }
}
