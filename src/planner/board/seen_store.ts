import { OperationError } from "#kernel/errors.ts";
import type { SpecStore } from "../ports.ts";
import type { SpecId } from "../spec/spec_id.ts";

/**
 * Wraps a store so that the first change of a spec holds only for the text that a person has seen. The comparison is
 * part of the atomic edit, so no writer comes in between. Later changes by the same operation find its own text.
 *
 * @param isSeen whether a file's text is that text
 */
export function seenStore(store: SpecStore, id: SpecId, isSeen: (text: string) => boolean): SpecStore {
  let isFirst = true;
  const refuseUnseen = (text: string): void => {
    if (isFirst && !isSeen(text)) throw changedMeanwhile(id);
  };
  return {
    ids: () => store.ids(),
    archivedIds: () => store.archivedIds(),
    active: () => store.active(),
    archived: () => store.archived(),
    strays: () => store.strays(),
    load: (one) => store.load(one),
    readText: (one) => store.readText(one),
    modified: (one) => store.modified(one),
    async edit(one, change) {
      const changed = await store.edit(one, (text) => {
        if (one === id) refuseUnseen(text);
        return change(text);
      });
      if (one === id) isFirst = false;
      return changed;
    },
    editEach: (ids, change) => store.editEach(ids, change),
    create: (day, build) => store.create(day, build),
    createEach: (specs) => store.createEach(specs),
    createMembers: (parent, split) => store.createMembers(parent, split),
    moveToArchive: (one, admit) => store.moveToArchive(one, admit),
  };
}

/** The refusal of a change to a spec that is not what the person saw. */
export function changedMeanwhile(id: string): OperationError {
  return new OperationError(
    "aborted",
    `Spec '${id}' was changed after you saw it: look at the new state, then try again`,
  );
}
