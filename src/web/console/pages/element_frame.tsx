import type { ComponentChildren } from "preact";
import type { Location } from "#gen/datacenter/v1/json.ts";
import type { CallState } from "../api/client.ts";
import { findRefUrl, formatPageUrl, type PageAddress } from "../router.ts";
import { type BreadcrumbStep, PageHead, ReplyView } from "../ui/page.tsx";
import { PageTabs } from "../ui/parts.tsx";

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
