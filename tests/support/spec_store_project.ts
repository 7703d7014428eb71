import { OperationError } from "#kernel/errors.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { SpecStore } from "#planner/store/specs/spec_store.ts";
import { type TempProject, tempProject } from "./temp_project.ts";

export type OpenStore = (root: string) => SpecStore;

/** Ids of the specs that tests of stores share: two active ones and one of an earlier day. */
export const CONTRACT_IDS = {
  A: "2026-11-01-001-aaa" as SpecId,
  B: "2026-11-01-002-bbb" as SpecId,
  GONE: "2026-10-01-001-old" as SpecId,
} as const;

export const pending = (title: string): string => `---\nstatus: pending\n---\n\n# ${title}\n`;

/** Makes projects whose `.planner/` holds these files, each with a store of its own. */
export function projectsWith(open: OpenStore) {
  return (files: Readonly<Record<string, string>> = {}): TempProject & { readonly store: SpecStore } => {
    const temp = tempProject();
    for (const [path, text] of Object.entries(files)) temp.write(`.planner/${path}`, text);
    return { ...temp, store: open(temp.root) };
  };
}

/** Kind and message of the error that the action ends with. */
export async function refusal(action: Promise<unknown>): Promise<string> {
  const error = await action.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OperationError)) throw new Error(`expected a refusal, got ${error}`);
  return `${error.kind}: ${error.message}`;
}
