import { Listeners } from "../../shared/listeners.ts";
import type { AuditEntry } from "../api/replies.ts";
import type { EditableKind, ResourceValues } from "./form_model.ts";

/** An edit that a dialog performs. */
export type EditRequest =
  | { readonly mode: "create"; readonly kind: EditableKind; readonly values: ResourceValues }
  | {
      readonly mode: "edit";
      readonly kind: EditableKind;
      readonly identity: ResourceValues;
      /** Field values that are set when the dialog opens; a function computes them from the stored state. */
      readonly change?: ResourceValues | ((stored: ResourceValues) => ResourceValues);
      /** Path of the field that is focused first. */
      readonly focus?: string;
      /** Button label for `change`; if set, the dialog shows no other fields. */
      readonly verb?: string;
    }
  | {
      readonly mode: "duplicate";
      readonly kind: EditableKind;
      readonly identity: ResourceValues;
      readonly change?: ResourceValues;
    }
  | { readonly mode: "delete"; readonly kind: EditableKind; readonly identity: ResourceValues }
  | { readonly mode: "many"; readonly kind: EditableKind; readonly codes: readonly string[] }
  | { readonly mode: "delete-many"; readonly kind: EditableKind; readonly codes: readonly string[] }
  | { readonly mode: "undo"; readonly entries: readonly AuditEntry[]; readonly etags: EtagsByRef };

/** ETags of stored resources, by reference. */
export type EtagsByRef = ReadonlyMap<string, string>;

/** Notice about a completed change, with the data to undo it. */
export interface EditNotice {
  readonly text: string;
  /** Id of the request that an undo reverts; "" if there is nothing to undo. */
  readonly requestId: string;
  /** ETags of the resources after the change. */
  readonly etags: EtagsByRef;
}

interface EditState {
  readonly edit: EditRequest | undefined;
  readonly notice: EditNotice | undefined;
  /** Number of the edit. It is the key of the dialog, so that each edit opens a dialog without old state. */
  readonly round: number;
}

let editState: EditState = { edit: undefined, notice: undefined, round: 0 };
const listeners = new Listeners();

function setEditState(next: Partial<EditState>): void {
  editState = { ...editState, ...next };
  listeners.notify();
}

/** Store of the one open edit. Pages open an edit; `EditHost` shows it. */
export const editStore = {
  editState: (): EditState => editState,
  open: (edit: EditRequest): void => setEditState({ edit, notice: undefined, round: editState.round + 1 }),
  close: (notice?: EditNotice): void => setEditState({ edit: undefined, notice }),
  dismiss: (): void => setEditState({ notice: undefined }),
  subscribe: listeners.subscribe,
};
