import { useEffect, useRef, useState } from "preact/hooks";
import type { Picture as Rendered } from "../api/replies.ts";
import { linkToRef } from "../router.ts";
import { refName } from "../words.ts";
import { Download, type Question } from "./download.tsx";
import { nearest } from "./nearest.ts";
import { safeSvg } from "./safe_svg.ts";

interface PictureProps {
  readonly label: string;
  readonly render: Rendered | undefined;
  /** The question whose answer this is: asked again for other formats. */
  readonly question: Question;
}

const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3, 4] as const;

/** The server's drawing: its elements lead to their pages, by click, or by arrow keys and Enter. */
export function Picture({ label, render, question }: PictureProps) {
  const [zoom, setZoom] = useState(1);
  const frame = useRef<HTMLDivElement>(null);
  const text = render?.text;
  useEffect(() => {
    const place = frame.current;
    if (place === null || text === undefined) return;
    const svg = safeSvg(text);
    if (svg === undefined) {
      place.replaceChildren("The picture could not be read.");
      return;
    }
    reachable(svg);
    place.replaceChildren(svg);
  }, [text]);
  useEffect(() => {
    frame.current?.style.setProperty("--zoom", String(zoom));
  }, [zoom]);
  if (text === undefined) return null;
  const step = (by: number) => setZoom(ZOOMS[ZOOMS.indexOf(zoom as (typeof ZOOMS)[number]) + by] ?? zoom);
  return (
    <figure class="picture">
      <div class="picture-tools">
        <button type="button" aria-label="Zoom out" disabled={zoom === ZOOMS[0]} onClick={() => step(-1)}>
          −
        </button>
        <button type="button" onClick={() => setZoom(1)} title="Fit to the page">
          {Math.round(zoom * 100)} %
        </button>
        <button type="button" aria-label="Zoom in" disabled={zoom === ZOOMS.at(-1)} onClick={() => step(1)}>
          +
        </button>
        <Download question={question} name={label} />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the elements inside are links */}
      <div class="picture-frame" ref={frame} onClick={({ target }) => open(target)} onKeyDown={keys} />
      {render?.truncated === true ? (
        <figcaption>
          {render.omitted_nodes} {render.omitted_nodes === 1 ? "element is" : "elements are"} folded into groups, so
          that the picture stays readable.
        </figcaption>
      ) : null}
    </figure>
  );
}

/** Elements with a page become links; one of them at a time is in the Tab order. */
function reachable(svg: SVGSVGElement): void {
  const links = elements(svg);
  svg.setAttribute("role", "group");
  for (const [index, link] of links.entries()) {
    link.setAttribute("role", "link");
    link.setAttribute("tabindex", index === 0 ? "0" : "-1");
    link.setAttribute("aria-label", nameOf(link));
  }
}

/** What is written on the element, so that a person can speak it, and then what there is to say about it. */
function nameOf(link: SVGGElement): string {
  const written = [...link.querySelectorAll("text")].map(({ textContent }) => textContent);
  const told = link.querySelector("title")?.textContent ?? refName(link.dataset["ref"] ?? "");
  return [...written, told].join(" ").replaceAll("\n", ", ");
}

function elements(svg: SVGSVGElement): SVGGElement[] {
  return [...svg.querySelectorAll<SVGGElement>("g[data-ref]")].filter(
    ({ dataset }) => linkToRef(dataset["ref"] ?? "") !== undefined,
  );
}

function open(target: EventTarget | null): void {
  const element = (target as Element).closest<SVGGElement>("g[data-ref]");
  const link = linkToRef(element?.dataset["ref"] ?? "");
  if (link !== undefined) location.hash = link;
}

function keys(event: KeyboardEvent): void {
  const current = (event.target as Element).closest<SVGGElement>("g[data-ref]");
  const svg = current?.ownerSVGElement;
  if (current === null || svg === null || svg === undefined) return;
  if (event.key === "Enter") open(current);
  const next = nearest(current, elements(svg), event.key);
  if (next === undefined) return;
  event.preventDefault();
  current.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}
