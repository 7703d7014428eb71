import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Picture as Rendered } from "../api/replies.ts";
import { refName } from "../labels.ts";
import { linkToRef } from "../router.ts";
import { Download, type Question } from "./download.tsx";
import { nearest } from "./nearest.ts";
import { type Tips, takeTips, useTips } from "./picture_tips.ts";
import { type PictureZoom, type Size, usePictureZoom } from "./picture_zoom.ts";
import { safeSvg } from "./safe_svg.ts";

interface PictureProps {
  readonly label: string;
  readonly render: Rendered | undefined;
  /** The question whose answer this is: asked again for other formats. */
  readonly question: Question;
  /** The element that comes into view when the picture is larger than its frame. */
  readonly subject?: string;
  /** Says what the pointer or the focus is on in a line below the picture instead of a tooltip over it. */
  readonly readout?: boolean;
}

/** The server's drawing: its elements lead to their pages, by click, or by arrow keys and Enter. */
export function Picture({ label, render, question, subject = "", readout = false }: PictureProps) {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const frame = useRef<HTMLDivElement>(null);
  const tips = useRef<Tips>(new Map());
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
    tips.current = takeTips(svg);
    const held = focusedRef(place);
    place.replaceChildren(svg);
    if (held !== undefined) refocus(svg, held);
    const { width, height } = svg.viewBox.baseVal;
    setSize({ width, height });
  }, [text]);
  const zoom = usePictureZoom(frame, size, subject);
  const { shown, tipBox, readLine } = useTips(tips, readout);
  if (text === undefined) return null;
  return (
    <figure class="picture">
      <Tools zoom={zoom} question={question} label={label} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the elements inside are links */}
      <div
        class="picture-frame"
        ref={frame}
        onClick={({ target }) => open(target)}
        onKeyDown={keys}
        onPointerMove={shown}
        onPointerLeave={shown}
        onFocusIn={shown}
      />
      {readout ? (
        <output class="readout" ref={readLine} />
      ) : (
        <div class="picture-tip" role="tooltip" ref={tipBox} hidden />
      )}
      {render?.truncated === true ? (
        <figcaption>
          {render.omitted_nodes} {render.omitted_nodes === 1 ? "element is" : "elements are"} folded into groups, so
          that the picture stays readable.
        </figcaption>
      ) : null}
    </figure>
  );
}

function Tools({
  zoom: { zoom, isLeast, isMost, choose, smaller, larger },
  question,
  label,
}: {
  readonly zoom: PictureZoom;
  readonly question: Question;
  readonly label: string;
}) {
  return (
    <div class="picture-tools">
      <button type="button" aria-label="Zoom out" disabled={isLeast} onClick={smaller}>
        −
      </button>
      <button type="button" aria-pressed={zoom === 1} onClick={() => choose(1)} title="The picture's own size">
        {typeof zoom === "number" ? Math.round(zoom * 100) : "100"} %
      </button>
      <button type="button" aria-label="Zoom in" disabled={isMost} onClick={larger}>
        +
      </button>
      <button type="button" aria-pressed={zoom === "fit"} onClick={() => choose("fit")} title="All of the picture">
        Fit
      </button>
      <Download question={question} name={label} />
    </div>
  );
}

/** The element of the picture that has the focus. */
function focusedRef(frame: HTMLElement): string | undefined {
  const { activeElement } = document;
  if (activeElement === null || !frame.contains(activeElement)) return undefined;
  return activeElement.closest<SVGGElement>("g[data-ref]")?.dataset["ref"];
}

/** Gives the focus back to the element that had it in the picture before. */
function refocus(svg: SVGSVGElement, ref: string): void {
  const again = elements(svg).find(({ dataset }) => dataset["ref"] === ref);
  if (again === undefined) return;
  for (const link of elements(svg)) link.setAttribute("tabindex", link === again ? "0" : "-1");
  again.focus({ preventScroll: true });
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
