import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../../shared/icon.tsx";
import { mayWrite, useSession } from "../api/session.ts";
import { isKey, keyShown } from "../shell/keys.ts";
import { type Edit, editing } from "./editing.ts";
import type { Kind, Values } from "./form_model.ts";

/** Whether the person may write; readers get no buttons that would only refuse. */
export function useMayWrite(): boolean {
  return mayWrite(useSession().reply);
}

/** Whether the person is known not to write; an expired token says nothing about that. */
export function useIsReader(): boolean {
  const { reply } = useSession();
  return reply !== undefined && !mayWrite(reply);
}

/** Opens an edit. */
export function EditButton({ edit, children }: { readonly edit: Edit; readonly children: ComponentChildren }) {
  return (
    <button type="button" onClick={() => editing.open(edit)}>
      {children}
    </button>
  );
}

interface Written {
  readonly kind: Kind;
  readonly identity: Values;
}

/** Edits one resource, also by `E`; nothing for a reader. */
export function EditAction({ kind, identity }: Written) {
  const may = useMayWrite();
  const key = JSON.stringify(identity);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the identity
  useEffect(() => {
    if (!may) return undefined;
    const pressed = (event: KeyboardEvent) => {
      const inField = (event.target as Element).matches?.("input, textarea, select, dialog *");
      if (inField || !isKey(event, "edit")) return;
      event.preventDefault();
      editing.open({ mode: "edit", kind, identity });
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [may, kind, key]);
  if (!may) return null;
  return (
    <EditButton edit={{ mode: "edit", kind, identity }}>
      <Icon name="edit" />
      Edit <kbd>{keyShown("edit")}</kbd>
    </EditButton>
  );
}

/** What else a writer does with a resource. */
export function MoreEdits({ kind, identity }: Written) {
  if (!useMayWrite()) return null;
  return (
    <>
      {kind === "cable" || kind === "fabric_link" ? null : (
        <EditButton edit={{ mode: "duplicate", kind, identity }}>Duplicate</EditButton>
      )}
      <EditButton edit={{ mode: "delete", kind, identity }}>Delete</EditButton>
    </>
  );
}
