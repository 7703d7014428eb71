import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../../shared/icon.tsx";
import { canWrite, useSession } from "../api/session.ts";
import { getKeyLabel, isShortcutKey } from "../shell/keys.ts";
import { type EditRequest, editStore } from "./editing.ts";
import type { EditableKind, ResourceValues } from "./form_model.ts";

/** Whether the person may write; without that right, buttons that would fail are hidden. */
export function useCanWrite(): boolean {
  return canWrite(useSession().reply);
}

/** Whether the person is known to have no right to write; with an expired token that is unknown. */
export function useIsReader(): boolean {
  const { reply } = useSession();
  return reply !== undefined && !canWrite(reply);
}

export function EditButton({ edit, children }: { readonly edit: EditRequest; readonly children: ComponentChildren }) {
  return (
    <button type="button" onClick={() => editStore.open(edit)}>
      {children}
    </button>
  );
}

interface EditedResource {
  readonly kind: EditableKind;
  readonly identity: ResourceValues;
}

/** Button that edits a resource, with the shortcut `E`; hidden from readers. */
export function EditResourceButton({ kind, identity }: EditedResource) {
  const isWriter = useCanWrite();
  const key = JSON.stringify(identity);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the identity
  useEffect(() => {
    if (!isWriter) return undefined;
    const openOnShortcut = (event: KeyboardEvent) => {
      const inField = (event.target as Element).matches?.("input, textarea, select, dialog *");
      if (inField || !isShortcutKey(event, "edit")) return;
      event.preventDefault();
      editStore.open({ mode: "edit", kind, identity });
    };
    addEventListener("keydown", openOnShortcut);
    return () => removeEventListener("keydown", openOnShortcut);
  }, [isWriter, kind, key]);
  if (!isWriter) return null;
  return (
    <EditButton edit={{ mode: "edit", kind, identity }}>
      <Icon name="edit" />
      Edit <kbd>{getKeyLabel("edit")}</kbd>
    </EditButton>
  );
}

/** Buttons that duplicate and delete a resource; hidden from readers. */
export function DuplicateDeleteButtons({ kind, identity }: EditedResource) {
  if (!useCanWrite()) return null;
  return (
    <>
      {kind === "cable" || kind === "fabric_link" ? null : (
        <EditButton edit={{ mode: "duplicate", kind, identity }}>Duplicate</EditButton>
      )}
      <EditButton edit={{ mode: "delete", kind, identity }}>Delete</EditButton>
    </>
  );
}
