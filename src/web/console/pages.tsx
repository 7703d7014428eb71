import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { normalizeSettings } from "./address_words.ts";
import { useCall } from "./api/client.ts";
import { getRefKind } from "./history/leaf_changes.ts";
import { LIST_KINDS } from "./lists/list_kinds.ts";
import {
  createNameSearchRequest,
  FAILABLE_KINDS,
  findRefsByName,
  SCOPE_KINDS,
  SEARCH_INVENTORY_RPC,
} from "./named_refs.ts";
import { OverviewPage } from "./pages/overview.tsx";
import { formatPageUrl, OBJECT_PAGE_KINDS, type PageAddress, parseAddress } from "./router.ts";
import { createLazyComponent, PageHead } from "./ui/page.tsx";
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

const ALL_KINDS: readonly string[] = [];

/** Parts of URLs that contain references, with the accepted kinds, by page. "" is the subject of the page. */
const REF_KINDS_BY_PAGE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  power: { "": FAILABLE_KINDS, and: FAILABLE_KINDS },
  rehearsal: { scope: SCOPE_KINDS },
  placement: { scope: SCOPE_KINDS },
  trace: { "": ["PORT"] },
  thermal: { "": [...SCOPE_KINDS, "CRAC"] },
  fabric: { scope: SCOPE_KINDS },
  floor: { "": ["FLOOR"] },
  sheet: { "": ["DEVICE", "RACK"] },
  history: { "": ALL_KINDS, entity: ALL_KINDS },
  windows: { element: ALL_KINDS },
  capacity: { "": SCOPE_KINDS },
  compare: { "": SCOPE_KINDS, with: SCOPE_KINDS },
};

/** A code without a kind in a URL, such as UPS-A2, where a reference is expected. */
export interface BareRef {
  readonly part: string;
  readonly code: string;
  readonly kinds: readonly string[];
}

/** Returns the URL's first code without a kind, and the address without this code, so that no request fails. */
function findBareRef(place: PageAddress): { readonly place: PageAddress; readonly bare: BareRef | undefined } {
  for (const [part, kinds] of Object.entries(REF_KINDS_BY_PAGE[place.page] ?? {})) {
    const code = getAddressPart(place, part)
      .split(/[ |]/)
      .find((one) => one !== "" && !one.includes(":"));
    if (code !== undefined)
      return {
        place: replaceAddressPart(place, part, removeCode(getAddressPart(place, part), code)),
        bare: { part, code, kinds },
      };
  }
  return { place, bare: undefined };
}

function getAddressPart({ subject, settings }: PageAddress, part: string): string {
  return part === "" ? subject : (settings.get(part) ?? "");
}

function replaceAddressPart(place: PageAddress, part: string, text: string): PageAddress {
  if (part === "") return { ...place, subject: text };
  const settings = new URLSearchParams(place.settings);
  if (text === "") settings.delete(part);
  else settings.set(part, text);
  return { ...place, settings };
}

function removeCode(text: string, code: string): string {
  return text
    .split(" ")
    .filter((one) => one !== code)
    .join(" ");
}

/** Replaces a code without a kind in the URL by its reference; shows a notice unless it names exactly one element. */
function BareRefResolver({ place, bare }: { readonly place: PageAddress; readonly bare: BareRef }) {
  const { part, code, kinds } = bare;
  const { reply } = useCall(SEARCH_INVENTORY_RPC, createNameSearchRequest(code, kinds));
  const hits = (reply?.kinds ?? []).flatMap((kind) => kind.hits).map(({ ref }) => ref);
  const found = findRefsByName(hits, code);
  const formatUrlWithRef = (ref: string) => {
    const { page, subject, settings } = replaceAddressPart(place, part, getAddressPart(place, part).replace(code, ref));
    return formatPageUrl(page, subject, Object.fromEntries(settings));
  };
  const only = found.length === 1 ? formatUrlWithRef(found[0] ?? "") : undefined;
  useEffect(() => {
    if (only !== undefined) location.replace(only);
  }, [only]);
  if (reply === undefined || only !== undefined) return null;
  const offered = found.length > 0 ? found : hits.slice(0, 3);
  return (
    <Notice>
      {found.length > 0 ? `“${code}” names several things:` : `Nothing is called “${code}”.`}
      {offered.length > 0 && found.length === 0 ? " Near it:" : ""}
      {offered.map((ref) => (
        <span key={ref}>
          {" "}
          <a href={formatUrlWithRef(ref)}>
            {getRefKind(ref)} {getRefName(ref)}
          </a>
        </span>
      ))}
    </Notice>
  );
}
