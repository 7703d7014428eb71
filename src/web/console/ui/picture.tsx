import { useLayoutEffect, useRef } from "preact/hooks";
import type { RenderResult } from "#gen/datacenter/v1/json.ts";
import { parseSafeSvg } from "#web/viewer/safe_svg.ts";
import { Viewer } from "#web/viewer/viewer.ts";
import { findRefUrl } from "../router.ts";
import { Download, type Question } from "./download.tsx";

interface PictureProps {
  readonly label: string;
  readonly render: RenderResult | undefined;
  /** The question whose answer this is: asked again for other formats. */
  readonly question: Question;
  /** The element that comes into view when the picture is larger than its frame. */
  readonly subject?: string;
  /** Describes the hovered or focused element in a line below the picture instead of a tooltip. */
  readonly readout?: boolean;
  /** The page shows the picture's title and figures, so the picture is shown without them. */
  readonly told?: boolean;
}

/** The server's drawing: its elements lead to their pages, by click, or by arrow keys and Enter. */
export function Picture({ label, render, question, subject = "", readout = false, told = false }: PictureProps) {
  const host = useRef<HTMLDivElement>(null);
  const viewer = useRef<Viewer | undefined>(undefined);
  const text = render?.text;
  const isShown = text !== undefined;
  useLayoutEffect(() => {
    if (host.current === null || !isShown) return undefined;
    const opened = new Viewer(host.current, {
      leads: (ref) => findRefUrl(ref) !== undefined,
      follow: (ref) => {
        location.hash = findRefUrl(ref) ?? "";
      },
      details: () => undefined,
      chosen: () => {},
      readout,
    });
    viewer.current = opened;
    return () => {
      opened.end();
      viewer.current = undefined;
    };
  }, [isShown, readout]);
  // Drawn together with what is below it, which would otherwise move away under the pointer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another readout is another viewer
  useLayoutEffect(() => {
    if (text === undefined) return;
    const svg = parseSafeSvg(text);
    viewer.current?.show(told ? withoutHeading(svg) : svg, "The picture could not be read.");
    viewer.current?.reveal(subject);
  }, [text, subject, readout, told]);
  if (!isShown) return null;
  return (
    <figure class="picture">
      <Download question={question} name={label} />
      <div ref={host} />
      {render?.truncated === true ? (
        <figcaption>
          {render.omitted_nodes} {render.omitted_nodes === 1 ? "element is" : "elements are"} folded into groups, so
          that the picture stays readable.
        </figcaption>
      ) : null}
    </figure>
  );
}

const HEADING = '[data-part="heading"]';
const ASIDE = '[data-part="aside"]';

/** Takes off a drawing what the page says: title, figures, sentences and lists. Files of the drawing keep them. */
function withoutHeading(svg: SVGSVGElement | undefined): SVGSVGElement | undefined {
  if (svg === undefined) return svg;
  const { x, y, width, height } = svg.viewBox.baseVal;
  const beside = svg.querySelector(ASIDE)?.parentElement;
  if (beside != null) takeParts(beside, ASIDE);
  const left = height - takeParts(svg, HEADING);
  svg.setAttribute("viewBox", `${x} ${y} ${width} ${left}`);
  svg.setAttribute("height", String((svg.height.baseVal.value * left) / height));
  return svg;
}

/** Removes parts, and moves up what is below them. @returns by how much */
function takeParts(parent: Element, part: string): number {
  let taken = 0;
  for (const child of [...parent.children]) {
    if (child.matches(part)) {
      taken += Number(child.getAttribute("data-height"));
      child.remove();
      continue;
    }
    const inside = child.querySelector(part) === null ? 0 : takeParts(child, part);
    if (taken > 0) {
      const own = child.getAttribute("transform") ?? "";
      child.setAttribute("transform", `translate(0 ${-taken}) ${own}`.trim());
    }
    taken += inside;
  }
  return taken;
}
