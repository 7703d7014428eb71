import { useEffect } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { useCall } from "../api/client.ts";
import { getRefKind } from "../history/leaf_changes.ts";
import {
  createNameSearchRequest,
  FAILABLE_KINDS,
  findRefsByName,
  SCOPE_KINDS,
  SEARCH_INVENTORY_RPC,
} from "../named_refs.ts";
import { formatPageUrl, type PageAddress } from "../router.ts";
import { Notice } from "../ui/parts.tsx";

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
export function findBareRef(place: PageAddress): { readonly place: PageAddress; readonly bare: BareRef | undefined } {
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
export function BareRefResolver({ place, bare }: { readonly place: PageAddress; readonly bare: BareRef }) {
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
