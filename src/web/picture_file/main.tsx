import type { ElementDetails } from "../viewer/elements.ts";
import { Viewer } from "../viewer/viewer.ts";

/** Dataset that the service embeds in the file; null if the request asked for no dataset. */
interface Dataset {
  readonly elements: readonly (ElementDetails & { readonly related?: readonly string[] })[];
}

const dataset = JSON.parse(document.getElementById("data")?.textContent ?? "null") as Dataset | null;
const detailsByRef = new Map((dataset?.elements ?? []).map((element) => [element.ref.toLowerCase(), element]));
const host = document.querySelector("main");
const svg = host?.querySelector("svg");

if (host !== null && svg !== null && svg !== undefined) {
  svg.remove();
  const viewer = new Viewer(host, {
    isLink: () => false,
    openLink: () => {},
    findDetails: (ref) => {
      const known = detailsByRef.get(ref.toLowerCase());
      return known === undefined ? undefined : { ...known, related: known.related ?? [] };
    },
    onChoose: (ref) => location.replace(`#${encodeURIComponent(ref)}`),
    readout: false,
  });
  viewer.frame.tabIndex = 0;
  viewer.frame.setAttribute("role", "application");
  viewer.frame.setAttribute("aria-label", "Picture: arrow keys move, plus and minus zoom, 0 shows all");
  viewer.showDrawing(svg);
  const asked = location.hash.slice(1);
  if (asked !== "") viewer.chooseElement(decodeRef(asked));
  addEventListener("keydown", (event) => {
    const find = document.querySelector<HTMLInputElement>(".find input");
    if (event.key !== "/" || document.activeElement === find) return;
    event.preventDefault();
    find?.focus();
  });
}

/** Decodes the reference in a URL; empty if it is malformed. */
function decodeRef(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
