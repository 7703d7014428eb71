import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { createRandomInteger } from "#kernel/random.ts";
import type { EditOutcome, NewSpecText } from "../../ports.ts";
import { formatSpecId, ID_PART_COUNT, parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";
import { createFile, createFiles } from "../files/place_file.ts";
import { buildActivePath, buildArchivePath } from "../project/places.ts";
import { requireWritableText } from "./edit_spec.ts";

/** A spec to create; its id is the day with a counter of three base-36 characters. Source: docs/decisions.md#s-03. */
export interface NewSpecRequest {
  /** Day in the form `YYYY-MM-DD`. */
  readonly day: string;
  /** All existing ids, including those of the archive. */
  readonly existingIds: Iterable<SpecId>;
  readonly build: (id: SpecId) => string;
}

/**
 * Creates a spec under the next counter of the day, atomically. The caller must hold the project's lock, because two
 * processes that count at once would choose the same number.
 *
 * @throws OperationError `resource_exhausted` after counter `zzz`
 */
export async function createSpec(root: string, { day, existingIds, build }: NewSpecRequest): Promise<SpecId> {
  const counter = findNextCounter(day, existingIds);
  for (;;) {
    const id = formatSpecId(day, counter, createRandomInteger(ID_PART_COUNT));
    const file = buildActivePath(id);
    const text = build(id);
    requireWritableText(file, text);
    if (await createFile(join(root, file), file, text)) return id;
  }
}

/**
 * Creates active and archived specs under ids of the caller's choice. The caller must hold the project's lock.
 *
 * @param isTaken whether a spec of this id exists, active or archived
 */
export async function createSpecs(
  root: string,
  specs: readonly NewSpecText[],
  isTaken: (id: SpecId) => boolean,
): Promise<ReadonlyMap<SpecId, EditOutcome>> {
  const outcomes = new Map<SpecId, EditOutcome>();
  const free = specs.filter(({ id, archived, text }) => {
    try {
      requireWritableText(archived ? buildArchivePath(id) : buildActivePath(id), text);
      if (isTaken(id)) outcomes.set(id, false);
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      outcomes.set(id, error);
    }
    return !outcomes.has(id);
  });
  const files = free.map(({ id, archived, text }) => {
    const file = archived ? buildArchivePath(id) : buildActivePath(id);
    return { path: join(root, file), file, text };
  });
  for (const [index, outcome] of (await createFiles(files)).entries()) {
    const id = free[index]?.id;
    if (id !== undefined) outcomes.set(id, outcome);
  }
  return outcomes;
}

function findNextCounter(day: string, existingIds: Iterable<SpecId>): number {
  let highest = 0;
  for (const id of existingIds) {
    if (!id.startsWith(day)) continue;
    const parts = parseSpecIdParts(id);
    if (parts?.day === day) highest = Math.max(highest, parts.counter);
  }
  if (highest + 1 < ID_PART_COUNT) return highest + 1;
  throw new OperationError("resource_exhausted", `Cannot create a spec: ${day} has no counter behind "zzz" left`);
}
