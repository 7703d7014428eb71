import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { readWords } from "./address_words.ts";
import { LIST_KINDS } from "./lists/list_kinds.ts";
import { onDemand } from "./on_demand.tsx";
import { Overview } from "./pages/overview.tsx";
import { linkTo, OBJECT_PAGES, type Place, parsePlace } from "./router.ts";
import { findBareRef, ResolveBareRef } from "./shell/bare_refs.tsx";
import { Notice } from "./ui/notice.tsx";
import { PageHead } from "./ui/page.tsx";
import { Empty } from "./ui/parts.tsx";

interface PageProps {
  readonly place: Place;
}

type PageComponent = (props: PageProps) => ComponentChildren;

const elementPages = () => import("./pages/element_pages.ts");
const analysisPages = () => import("./pages/analysis_pages.ts");
const List = onDemand<PageProps>(async () => (await elementPages()).List);
const ObjectPage = onDemand<PageProps>(async () => (await elementPages()).ObjectPage);

/** Every page by the first word of its address. A new page is a row here, and one in `navigation.ts`. */
const PAGES: Readonly<Record<string, PageComponent>> = {
  ...Object.fromEntries(LIST_KINDS.map(({ page }) => [page, List])),
  ...Object.fromEntries(OBJECT_PAGES.map((page) => [page, ObjectPage])),
  overview: Overview,
  rack: onDemand(async () => (await elementPages()).Rack),
  device: onDemand(async () => (await elementPages()).Device),
  sheet: onDemand(async () => (await elementPages()).Sheet),
  floor: onDemand(async () => (await analysisPages()).Floor),
  power: onDemand(async () => (await analysisPages()).Power),
  rehearsal: onDemand(async () => (await analysisPages()).Rehearsal),
  capacity: onDemand(async () => (await analysisPages()).Capacity),
  compare: onDemand(async () => (await analysisPages()).Compare),
  readings: onDemand(async () => (await analysisPages()).Readings),
  notices: onDemand(async () => (await analysisPages()).Notices),
  trace: onDemand(async () => (await analysisPages()).Trace),
  thermal: onDemand(async () => (await analysisPages()).Thermal),
  fabric: onDemand(async () => (await analysisPages()).Fabric),
  placement: onDemand(async () => (await analysisPages()).Placement),
  window: onDemand(async () => (await analysisPages()).Window),
  windows: onDemand(async () => (await analysisPages()).Windows),
  history: onDemand(async () => (await analysisPages()).History),
  import: onDemand(async () => (await analysisPages()).Import),
};

/** Pages whose fields say what they are about: these fields stay while it changes. */
const ASKING: ReadonlySet<string> = new Set(["power", "thermal", "trace", "placement", "capacity", "compare"]);

/** What has to change for a page to be drawn anew instead of changed. */
export function pageKey({ page, subject }: Place): string {
  return ASKING.has(page) ? page : `${page} ${subject}`;
}

/** A page, with what of its address it could not follow. */
export function Page({ place }: PageProps) {
  const Shown = Object.hasOwn(PAGES, place.page) ? PAGES[place.page] : undefined;
  const { place: worded, wrong } = readWords(place);
  useUsualAddress(place, worded);
  if (Shown === undefined) return <NoSuchPage />;
  const { place: shown, bare } = findBareRef(worded);
  return (
    <>
      {wrong.map(({ name, value, expected }) => (
        <Notice key={name}>
          The address has “{value}” for {name}: expected one of {expected.join(", ")}. It is left out.
        </Notice>
      ))}
      {bare === undefined ? null : <ResolveBareRef place={worded} bare={bare} />}
      <Shown place={shown} />
    </>
  );
}

/** Puts the address into its usual form, so that a link with another spelling is not passed on. */
function useUsualAddress(place: Place, worded: Place): void {
  const drawn = addressOf(place);
  const usual = addressOf(worded);
  useEffect(() => {
    // The person may have gone on before the page was drawn.
    if (addressOf(parsePlace(location.hash)) !== drawn) return;
    if (queryOf(usual) !== queryOf(location.hash)) history.replaceState(history.state, "", usual);
  }, [drawn, usual]);
}

function addressOf({ page, subject, settings }: Place): string {
  return linkTo(page, subject, Object.fromEntries(settings));
}

function queryOf(hash: string): string {
  return new URLSearchParams(hash.split("?").slice(1).join("?")).toString();
}

function NoSuchPage() {
  return (
    <>
      <PageHead title="There is no such page" />
      <Empty>
        Go to the <a href={linkTo("overview")}>overview</a>.
      </Empty>
    </>
  );
}
