import { useEffect } from "preact/hooks";
import { getRefName, nameKind } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { createNameQuery, findRefsByName, SEARCH_RPC } from "../named_refs.ts";
import { formatPageUrl, type PageAddress } from "../router.ts";
import { Notice } from "../ui/notice.tsx";

const SCOPES = ["SITE", "FLOOR", "ROOM", "ROW", "RACK"];
const FAILING = ["SUPPLY", "DEVICE", "PORT", "CRAC", ...SCOPES];
const ALL: readonly string[] = [];

/** Parts of addresses that name things by reference, with the kinds that they take. "" is the subject of the page. */
const REFS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  power: { "": FAILING, and: FAILING },
  rehearsal: { scope: SCOPES },
  placement: { scope: SCOPES },
  trace: { "": ["PORT"] },
  thermal: { "": [...SCOPES, "CRAC"] },
  fabric: { scope: SCOPES },
  floor: { "": ["FLOOR"] },
  sheet: { "": ["DEVICE", "RACK"] },
  history: { "": ALL, entity: ALL },
  windows: { element: ALL },
  capacity: { "": SCOPES },
  compare: { "": SCOPES, with: SCOPES },
};

/** A bare code in an address, such as UPS-A2, where a reference belongs. */
export interface BareRef {
  readonly part: string;
  readonly code: string;
  readonly kinds: readonly string[];
}

/** The first bare code of an address, and the place without it, so that the page asks nothing that it cannot. */
export function findBareRef(place: PageAddress): { readonly place: PageAddress; readonly bare: BareRef | undefined } {
  for (const [part, kinds] of Object.entries(REFS[place.page] ?? {})) {
    const code = textOf(place, part)
      .split(/[ |]/)
      .find((one) => one !== "" && !one.includes(":"));
    if (code !== undefined)
      return { place: withText(place, part, textWithout(textOf(place, part), code)), bare: { part, code, kinds } };
  }
  return { place, bare: undefined };
}

function textOf({ subject, settings }: PageAddress, part: string): string {
  return part === "" ? subject : (settings.get(part) ?? "");
}

function withText(place: PageAddress, part: string, text: string): PageAddress {
  if (part === "") return { ...place, subject: text };
  const settings = new URLSearchParams(place.settings);
  if (text === "") settings.delete(part);
  else settings.set(part, text);
  return { ...place, settings };
}

function textWithout(text: string, code: string): string {
  return text
    .split(" ")
    .filter((one) => one !== code)
    .join(" ");
}

/** Finds what a bare code means and puts the reference into the address; says so if that is nothing, or several things. */
export function ResolveBareRef({ place, bare }: { readonly place: PageAddress; readonly bare: BareRef }) {
  const { part, code, kinds } = bare;
  const { reply } = useCall(SEARCH_RPC, createNameQuery(code, kinds));
  const hits = (reply?.kinds ?? []).flatMap((kind) => kind.hits).map(({ ref }) => ref);
  const found = findRefsByName(hits, code);
  const linkWith = (ref: string) => {
    const { page, subject, settings } = withText(place, part, textOf(place, part).replace(code, ref));
    return formatPageUrl(page, subject, Object.fromEntries(settings));
  };
  const only = found.length === 1 ? linkWith(found[0] ?? "") : undefined;
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
          <a href={linkWith(ref)}>{kindAndName(ref)}</a>
        </span>
      ))}
    </Notice>
  );
}

/** A reference as a person reads it: "fabric link A~B". */
function kindAndName(ref: string): string {
  return `${nameKind(ref.slice(0, ref.indexOf(":")))} ${getRefName(ref)}`;
}
