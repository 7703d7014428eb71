import type { ComponentChildren } from "preact";
import { Icon } from "../../shared/icon.tsx";
import { EditAction, MoreEdits } from "../edit/edit_buttons.tsx";
import type { EditableKind, ResourceValues } from "../edit/form_model.ts";
import { formatPageUrl } from "../router.ts";
import { Popover } from "../ui/popover.tsx";
import { TakeOut } from "../windows/planned.tsx";

interface ThingProps {
  /** Reference of what can fail and be taken out of service; absent for what is only described. */
  readonly target?: string;
  /** What a writer edits. */
  readonly edit?: { readonly kind: EditableKind; readonly identity: ResourceValues };
  /** Whether one can ask what its failure takes. */
  readonly fails?: boolean;
  /** The reference whose history is shown. */
  readonly history?: string;
  /** What else this kind of thing can be asked. */
  readonly children?: ComponentChildren;
}

/** Kinds of which two are seen side by side. */
const COMPARED = /^(?:site|floor|room|row|rack):/;

/** What can be done with one thing: one action that leads, the edit, and the rest behind a menu. */
export function ThingActions({ target, edit, fails = true, history, children }: ThingProps) {
  return (
    <>
      {target !== undefined && fails ? (
        <a class="button primary" href={formatPageUrl("power", target)}>
          <Icon name="fail" />
          What if this fails
        </a>
      ) : null}
      {edit === undefined ? null : <EditAction {...edit} />}
      <Popover label={<Icon name="more" />} title="More actions" menu>
        {children}
        {target !== undefined && COMPARED.test(target) ? (
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
        {target === undefined ? null : <TakeOut target={target} />}
        {edit === undefined ? null : <MoreEdits {...edit} />}
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
