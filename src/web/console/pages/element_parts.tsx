import type { ComponentChildren } from "preact";
import type { HealthReason, Location } from "#gen/datacenter/v1/json.ts";
import { Icon } from "../../shared/marks.tsx";
import type { CallState } from "../api/client.ts";
import { DuplicateDeleteButtons, EditResourceButton } from "../edit/changes_panel.tsx";
import type { EditableKind, ResourceValues } from "../edit/form_model.ts";
import { describeReason, formatReasonFigures } from "../reason_words.ts";
import { findRefUrl, formatPageUrl, type PageAddress } from "../router.ts";
import { type BreadcrumbStep, PageHead, ReplyView } from "../ui/page.tsx";
import { PageTabs, RefLink } from "../ui/parts.tsx";
import { Popover } from "../ui/picture.tsx";
import { TakeOutOfServiceButton } from "../windows/judgement.tsx";

/** A tab of the page, which shows one tab at a time. */
interface ElementTab<Reply> {
  /** Word in the URL; "" for the first tab. */
  readonly key: string;
  readonly name: string;
  readonly count?: number | undefined;
  readonly content: (reply: Reply) => ComponentChildren;
}

interface ElementPageProps<Reply> {
  readonly place: PageAddress;
  readonly asked: CallState<Reply>;
  /** Kind of the element in a few words. */
  readonly kind: string;
  /** Locations that contain the element; empty until they are loaded. */
  readonly trail: readonly BreadcrumbStep[];
  readonly state?: ComponentChildren;
  /** Sentence about the most important fact of the element. */
  readonly sentence?: ComponentChildren;
  /** Buttons for actions on the element; hidden if it does not exist. */
  readonly actions: ComponentChildren;
  readonly tabs: readonly ElementTab<Reply>[];
  /** Controls for the display of the shown tab. */
  readonly options?: ComponentChildren;
}

/** Page of an element: state, a sentence, actions, and tabs that each fit one screen and one printed page. */
export function ElementPage<Reply>(props: ElementPageProps<Reply>) {
  const { place, asked, kind, trail, state, sentence, actions, tabs, options } = props;
  const chosen = place.settings.get("tab") ?? "";
  const shown = tabs.find(({ key }) => key === chosen) ?? tabs[0];
  return (
    <>
      <PageHead
        kind={kind}
        title={place.subject}
        {...(trail.length === 0 ? {} : { trail })}
        action={asked.error?.code === "not_found" ? null : actions}
      >
        {state === undefined ? null : <span>{state}</span>}
        {sentence === undefined ? null : <p class="sentence">{sentence}</p>}
      </PageHead>
      <div class="page-parts">
        <PageTabs chosen={chosen} tabs={tabs.map(({ key, name, count }) => [key, name, count])} />
        {options}
      </div>
      <ReplyView asked={asked} shape="cards">
        {(reply) => shown?.content(reply)}
      </ReplyView>
    </>
  );
}

/** Renders a location, with its floor as a link. */
export function renderLocation(location: Location | undefined, rackCode = "") {
  if (location === undefined) return undefined;
  const { site_id, floor_number, room, row } = location;
  return (
    <>
      <a href={formatPageUrl("floor", `floor:${site_id}/${floor_number}`)}>
        {site_id}, floor {floor_number}
      </a>
      {room === "" ? "" : `, ${room}`}
      {row === "" ? "" : `, row ${row}`}
      {rackCode === "" ? null : (
        <>
          , rack <a href={formatPageUrl("rack", rackCode)}>{rackCode}</a>
        </>
      )}
    </>
  );
}

/** Returns the locations that contain an element, from the site down to its rack. */
export function createLocationTrail(location: Location | undefined, rackCode = ""): readonly BreadcrumbStep[] {
  if (location === undefined) return [];
  const { site_id, floor_number, room, row } = location;
  const floor = `${site_id}/${floor_number}`;
  return [
    { name: site_id, href: findRefUrl(`site:${site_id}`) },
    { name: `Floor ${floor_number}`, href: findRefUrl(`floor:${floor}`) },
    ...(room === "" ? [] : [{ name: room, href: findRefUrl(`room:${floor}/${room}`) }]),
    ...(row === "" ? [] : [{ name: `Row ${row}`, href: findRefUrl(`row:${floor}/${row}`) }]),
    ...(rackCode === "" ? [] : [{ name: rackCode, href: formatPageUrl("rack", rackCode) }]),
  ];
}

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
