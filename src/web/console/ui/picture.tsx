import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Picture as Rendered } from "../api/replies.ts";
import { refName } from "../labels.ts";
import { linkToRef } from "../router.ts";
import { Download, type Question } from "./download.tsx";
import { nearest } from "./nearest.ts";
import { safeSvg } from "./safe_svg.ts";

interface PictureProps {
  readonly label: string;
  readonly render: Rendered | undefined;
  /** The question whose answer this is: asked again for other formats. */
  readonly question: Question;
  /** The element that comes into view when the picture is larger than its frame. */
  readonly subject?: string;
}

/** Shares of the picture's own size. */
const ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const;
/** A picture that would shrink to less than this scrolls instead, since its smallest letters could not be read. */
const LEAST_FIT = 0.8;

type Zoom = number | "fit";

/** The server's drawing: its elements lead to their pages, by click, or by arrow keys and Enter. */
export function Picture({ label, render, question, subject = "" }: PictureProps) {
  const [chosen, setChosen] = useState<Zoom>();
  const [usual, setUsual] = useState<Zoom>("fit");
  const [natural, setNatural] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  const text = render?.text;
  // Drawn together with what stands below it, which would otherwise move away under the pointer.
  useLayoutEffect(() => {
    const place = frame.current;
    if (place === null || text === undefined) return;
    const svg = safeSvg(text);
    if (svg === undefined) {
      place.replaceChildren("The picture could not be read.");
      return;
    }
    reachable(svg);
    place.replaceChildren(svg);
    const width = svg.viewBox.baseVal.width;
    setNatural(width);
    setUsual(place.clientWidth / width < LEAST_FIT ? 1 : "fit");
  }, [text]);
  const zoom = chosen ?? usual;
  useLayoutEffect(() => {
    const width = zoom === "fit" ? `min(100%, ${natural}px)` : `${natural * zoom}px`;
    frame.current?.style.setProperty("--width", width);
  }, [zoom, natural]);
  // Another answer to the same question leaves the frame where the person moved it.
  const drawn = natural > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size is a reason to look for the subject anew
  useLayoutEffect(() => {
    if (drawn && frame.current !== null) reveal(frame.current, subject);
  }, [zoom, drawn, subject]);
  if (text === undefined) return null;
  const share = () => (zoom === "fit" ? (shownWidth(frame.current) ?? natural) / natural : zoom);
  const smaller = () => setChosen(ZOOMS.findLast((one) => one < share() - 0.01) ?? ZOOMS[0]);
  const larger = () => setChosen(ZOOMS.find((one) => one > share() + 0.01) ?? ZOOMS.at(-1));
  return (
    <figure class="picture">
      <div class="picture-tools">
        <button type="button" aria-label="Zoom out" disabled={zoom === ZOOMS[0]} onClick={smaller}>
          −
        </button>
        <button type="button" aria-pressed={zoom === 1} onClick={() => setChosen(1)} title="The picture's own size">
          {zoom === "fit" ? "100" : Math.round(zoom * 100)} %
        </button>
        <button type="button" aria-label="Zoom in" disabled={zoom === ZOOMS.at(-1)} onClick={larger}>
          +
        </button>
        <button
          type="button"
          aria-pressed={zoom === "fit"}
          onClick={() => setChosen("fit")}
          title="As wide as the page"
        >
          Fit
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

/** Pixels from the frame's top: the frame's middle may lie below the screen. */
const REVEALED_TOP = 96;

/** Scrolls the frame, and not the page, until the element stands in the middle of its upper part. */
function reveal(frame: HTMLElement, ref: string): void {
  const elements = [...frame.querySelectorAll<SVGGElement>("g[data-ref]")];
  const element = elements.find(({ dataset }) => dataset["ref"]?.toLowerCase() === ref.toLowerCase());
  if (element === undefined) return;
  const [outer, inner] = [frame.getBoundingClientRect(), element.getBoundingClientRect()];
  frame.scrollLeft += inner.x + inner.width / 2 - outer.x - outer.width / 2;
  frame.scrollTop += inner.y - outer.y - REVEALED_TOP;
}

function shownWidth(frame: HTMLElement | null): number | undefined {
  return frame?.querySelector("svg")?.getBoundingClientRect().width;
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
