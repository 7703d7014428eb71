import { OperationError } from "#kernel/errors.ts";
import type { SpecStore } from "../ports.ts";
import type { SpecId } from "../spec/spec_id.ts";

/**
 * Wraps a store so that the first change of a spec fails if its file is no longer the text that the person has seen.
 * The comparison is part of the atomic edit, so no other writer can change the file in between. Later changes by the
 * same operation are not compared, because they find the operation's own text.
 * @param isSeen returns whether a file's text is the text that was seen
 */
export function guardSeenText(store: SpecStore, id: SpecId, isSeen: (text: string) => boolean): SpecStore {
  let isFirst = true;
  const assertSeen = (text: string): void => {
    if (isFirst && !isSeen(text)) throw createChangedError(id);
  };
  return {
    listIds: () => store.listIds(),
    listArchivedIds: () => store.listArchivedIds(),
    readActive: () => store.readActive(),
    readArchived: () => store.readArchived(),
    listStrays: () => store.listStrays(),
    load: (one) => store.load(one),
    readText: (one) => store.readText(one),
    readModifiedTime: (one) => store.readModifiedTime(one),
    async edit(one, change) {
      const changed = await store.edit(one, (text) => {
        if (one === id) assertSeen(text);
        return change(text);
      });
      if (one === id) isFirst = false;
      return changed;
    },
    editSpecs: (ids, change) => store.editSpecs(ids, change),
    create: (day, build) => store.create(day, build),
    createSpecs: (specs) => store.createSpecs(specs),
    createMembers: (parent, split) => store.createMembers(parent, split),
    moveToArchive: (one, admit) => store.moveToArchive(one, admit),
  };
}

/** Returns the error for a change to a spec whose file differs from the text that the person saw. */
export function createChangedError(id: string): OperationError {
  return new OperationError(
    "aborted",
    `Spec '${id}' was changed after you saw it: look at the new state, then try again`,
  );
}
