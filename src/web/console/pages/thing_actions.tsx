import type { ComponentChildren } from "preact";
import { Icon } from "../../shared/icon.tsx";
import { DuplicateDeleteButtons, EditResourceButton } from "../edit/edit_buttons.tsx";
import type { EditableKind, ResourceValues } from "../edit/form_model.ts";
import { formatPageUrl } from "../router.ts";
import { Popover } from "../ui/popover.tsx";
import { TakeOutOfServiceButton } from "../windows/planned.tsx";

interface ElementActionsProps {
  /** Reference of an element that can fail and be taken out of service; absent if neither is possible. */
  readonly target?: string;
  /** Kind and identity of the resource that a writer can edit. */
  readonly edit?: { readonly kind: EditableKind; readonly identity: ResourceValues };
  /** Whether the effect of the element's failure can be shown. */
  readonly canFail?: boolean;
  /** Reference whose history is shown. */
  readonly history?: string;
  /** Further links for this kind of element. */
  readonly children?: ComponentChildren;
}

/** Matches references of kinds that can be compared. */
const COMPARABLE_REF_PATTERN = /^(?:site|floor|room|row|rack):/;

/** Actions on an element: one primary action, the edit, and the others in a menu. */
export function ElementActions({ target, edit, canFail = true, history, children }: ElementActionsProps) {
  return (
    <>
      {target !== undefined && canFail ? (
        <a class="button primary" href={formatPageUrl("power", target)}>
          <Icon name="fail" />
          What if this fails
        </a>
      ) : null}
      {edit === undefined ? null : <EditResourceButton {...edit} />}
      <Popover label={<Icon name="more" />} title="More actions" menu>
        {children}
        {target !== undefined && COMPARABLE_REF_PATTERN.test(target) ? (
          <a class="button" href={formatPageUrl("compare", target)}>
            <Icon name="columns" />
            Compare…
          </a>
        ) : null}
        {target !== undefined && /^(?:device|rack):/.test(target) ? (
          <a class="button" href={formatPageUrl("sheet", target)}>
            <Icon name="columns" />
            Technician's sheet
          </a>
        ) : null}
        {target === undefined ? null : <TakeOutOfServiceButton target={target} />}
        {edit === undefined ? null : <DuplicateDeleteButtons {...edit} />}
        {history === undefined ? null : (
          <a class="button" href={formatPageUrl("history", history)}>
            <Icon name="history" />
            History
          </a>
        )}
      </Popover>
    </>
  );
}
