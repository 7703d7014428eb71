import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { normalizeSettings } from "./address_words.ts";
import { LIST_KINDS } from "./lists/list_kinds.ts";
import { createLazyComponent } from "./on_demand.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { formatPageUrl, OBJECT_PAGE_KINDS, type PageAddress, parseAddress } from "./router.ts";
import { BareRefResolver, findBareRef } from "./shell/bare_refs.tsx";
import { PageHead } from "./ui/page.tsx";
import { EmptyText, Notice } from "./ui/parts.tsx";

interface PageProps {
  readonly place: PageAddress;
}

type PageComponent = (props: PageProps) => ComponentChildren;

const importElementPages = () => import("./pages/element_pages.ts");
const importAnalysisPages = () => import("./pages/analysis_pages.ts");
const LazyListPage = createLazyComponent<PageProps>(async () => (await importElementPages()).List);
const LazyObjectPage = createLazyComponent<PageProps>(async () => (await importElementPages()).ObjectPage);

/** Page components by the first word of the URL. A new page needs a row here and one in `navigation.ts`. */
const PAGES: Readonly<Record<string, PageComponent>> = {
  ...Object.fromEntries(LIST_KINDS.map(({ page }) => [page, LazyListPage])),
  ...Object.fromEntries(OBJECT_PAGE_KINDS.map((page) => [page, LazyObjectPage])),
  overview: OverviewPage,
  rack: createLazyComponent(async () => (await importElementPages()).Rack),
  device: createLazyComponent(async () => (await importElementPages()).Device),
  sheet: createLazyComponent(async () => (await importElementPages()).Sheet),
  floor: createLazyComponent(async () => (await importAnalysisPages()).Floor),
  power: createLazyComponent(async () => (await importAnalysisPages()).Power),
  rehearsal: createLazyComponent(async () => (await importAnalysisPages()).Rehearsal),
  capacity: createLazyComponent(async () => (await importAnalysisPages()).Capacity),
  compare: createLazyComponent(async () => (await importAnalysisPages()).Compare),
  readings: createLazyComponent(async () => (await importAnalysisPages()).Readings),
  notices: createLazyComponent(async () => (await importAnalysisPages()).Notices),
  trace: createLazyComponent(async () => (await importAnalysisPages()).Trace),
  thermal: createLazyComponent(async () => (await importAnalysisPages()).Thermal),
  fabric: createLazyComponent(async () => (await importAnalysisPages()).Fabric),
  placement: createLazyComponent(async () => (await importAnalysisPages()).Placement),
  window: createLazyComponent(async () => (await importAnalysisPages()).Window),
  windows: createLazyComponent(async () => (await importAnalysisPages()).Windows),
  history: createLazyComponent(async () => (await importAnalysisPages()).History),
  import: createLazyComponent(async () => (await importAnalysisPages()).Import),
};

/** Pages whose subject is chosen in a field on the page: they stay mounted when the subject changes. */
const PAGES_WITH_SUBJECT_FIELD: ReadonlySet<string> = new Set([
  "power",
  "thermal",
  "trace",
  "placement",
  "capacity",
  "compare",
]);

/** Returns the key of a page; when it changes, the page is mounted anew instead of updated. */
export function getPageKey({ page, subject }: PageAddress): string {
  return PAGES_WITH_SUBJECT_FIELD.has(page) ? page : `${page} ${subject}`;
}

/** A page, with notices about the parts of its URL that it ignores. */
export function Page({ place }: PageProps) {
  const Shown = Object.hasOwn(PAGES, place.page) ? PAGES[place.page] : undefined;
  const { place: worded, wrong } = normalizeSettings(place);
  useNormalizedAddress(place, worded);
  if (Shown === undefined) return <UnknownPage />;
  const { place: shown, bare } = findBareRef(worded);
  return (
    <>
      {wrong.map(({ name, value, expected }) => (
        <Notice key={name}>
          The address has “{value}” for {name}: expected one of {expected.join(", ")}. It is left out.
        </Notice>
      ))}
      {bare === undefined ? null : <BareRefResolver place={worded} bare={bare} />}
      <Shown place={shown} />
    </>
  );
}

/** Replaces the URL by its usual spelling, so that people share links of one form. */
function useNormalizedAddress(place: PageAddress, worded: PageAddress): void {
  const drawn = formatPageAddress(place);
  const usual = formatPageAddress(worded);
  useEffect(() => {
    // The person may have opened another page before this one was drawn.
    if (formatPageAddress(parseAddress(location.hash)) !== drawn) return;
    if (getHashQuery(usual) !== getHashQuery(location.hash)) history.replaceState(history.state, "", usual);
  }, [drawn, usual]);
}

function formatPageAddress({ page, subject, settings }: PageAddress): string {
  return formatPageUrl(page, subject, Object.fromEntries(settings));
}

function getHashQuery(hash: string): string {
  return new URLSearchParams(hash.split("?").slice(1).join("?")).toString();
}

function UnknownPage() {
  return (
    <>
      <PageHead title="There is no such page" />
      <EmptyText>
        Go to the <a href={formatPageUrl("overview")}>overview</a>.
      </EmptyText>
    </>
  );
}
