import type { ComponentChildren } from "preact";
import type { HealthReason } from "#gen/datacenter/v1/json.ts";
import { Icon } from "../../shared/marks.tsx";
import { DuplicateDeleteButtons, EditResourceButton } from "../edit/changes_panel.tsx";
import type { EditableKind, ResourceValues } from "../edit/form_model.ts";
import { describeReason, formatReasonFigures } from "../reason_words.ts";
import { formatPageUrl } from "../router.ts";
import { RefLink } from "../ui/parts.tsx";
import { Popover } from "../ui/picture.tsx";
import { TakeOutOfServiceButton } from "../windows/judgement.tsx";

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

const MAX_REASONS = 3;

/** Lists the most severe reasons for an element's health, with measured and allowed values. */
export function HealthReasons(props: { readonly reasons: readonly HealthReason[]; readonly all?: boolean }) {
  const { reasons, all = false } = props;
  if (reasons.length === 0) return null;
  const sorted = [...reasons].sort((a, b) => rankHealthReason(b) - rankHealthReason(a));
  const shown = all ? sorted : sorted.slice(0, MAX_REASONS);
  return (
    <ul class="reasons">
      {shown.map((reason) => (
        <li key={`${reason.code} ${reason.ref}`}>
          {describeReason(reason.code)}
          {reason.ref === "" ? null : (
            <>
              {": "}
              <RefLink to={reason.ref} />
            </>
          )}
          {formatReasonFigures(reason)}
        </li>
      ))}
      {shown.length < reasons.length ? <li>and {reasons.length - shown.length} more</li> : null}
    </ul>
  );
}

function rankHealthReason({ health }: HealthReason): number {
  return health === "HEALTH_FAULT" ? 2 : health === "HEALTH_WATCH" ? 1 : 0;
}
