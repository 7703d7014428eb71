import type { AuditEntry } from "../api/replies.ts";
import type { Kind, Values } from "./form_model.ts";

/** What a person edits. */
export type Edit =
  | { readonly mode: "create"; readonly kind: Kind; readonly values: Values; readonly source?: string }
  | {
      readonly mode: "edit";
      readonly kind: Kind;
      readonly identity: Values;
      /** Fields that are changed as the dialog opens, from the stored state where that matters. */
      readonly change?: Values | ((stored: Values) => Values);
      /** Path of the field that has the focus. */
      readonly focus?: string;
      /** What `change` does, as a button says it; the dialog then shows no other field. */
      readonly verb?: string;
    }
  | { readonly mode: "duplicate"; readonly kind: Kind; readonly identity: Values; readonly change?: Values }
  | { readonly mode: "delete"; readonly kind: Kind; readonly identity: Values }
  | { readonly mode: "many"; readonly kind: Kind; readonly codes: readonly string[] }
  | { readonly mode: "delete-many"; readonly kind: Kind; readonly codes: readonly string[] }
  | { readonly mode: "undo"; readonly entries: readonly AuditEntry[]; readonly etags: Etags };

/** Versions of resources that are known to be stored, by reference. */
export type Etags = ReadonlyMap<string, string>;

/** What was done, and how to take it back. */
export interface Notice {
  readonly text: string;
  /** The request whose changes an undo takes back; "" where there is nothing to undo. */
  readonly requestId: string;
  /** Versions after the changes. */
  readonly etags: Etags;
}

interface State {
  readonly edit: Edit | undefined;
  readonly notice: Notice | undefined;
  /** Differs for each edit, so that a dialog never shows what another one held. */
  readonly round: number;
}

let state: State = { edit: undefined, notice: undefined, round: 0 };
const listeners = new Set<() => void>();

function setState(next: Partial<State>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

/** The one edit that is open. Pages open it; the host beside them shows it. */
export const editing = {
  state: (): State => state,
  open: (edit: Edit): void => setState({ edit, notice: undefined, round: state.round + 1 }),
  close: (notice?: Notice): void => setState({ edit: undefined, notice }),
  dismiss: (): void => setState({ notice: undefined }),
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
