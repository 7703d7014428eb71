import { useLayoutEffect, useRef } from "preact/hooks";
import type { RenderResult } from "#gen/datacenter/v1/json.ts";
import { parseSafeSvg } from "#web/viewer/safe_svg.ts";
import { Viewer } from "#web/viewer/viewer.ts";
import { findRefUrl } from "../router.ts";
import { DownloadButtons, type PictureRequest } from "./download.tsx";

interface PictureViewProps {
  readonly label: string;
  readonly render: RenderResult | undefined;
  /** Request of the picture, which is sent again for other formats. */
  readonly question: PictureRequest;
  /** Reference of the element that is scrolled into view if the picture is larger than its frame. */
  readonly subject?: string;
  /** Whether a line below the picture, instead of a tooltip, describes the hovered or focused element. */
  readonly readout?: boolean;
  /** Whether the page already shows the picture's title and figures, so that the picture omits them. */
  readonly omitsHeading?: boolean;
}

/** Viewer of a picture that the server draws. A click, or arrow keys and Enter, open the pages of its elements. */
export function PictureView({
  label,
  render,
  question,
  subject = "",
  readout = false,
  omitsHeading = false,
}: PictureViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const viewer = useRef<Viewer | undefined>(undefined);
  const text = render?.text;
  const isShown = text !== undefined;
  useLayoutEffect(() => {
    if (host.current === null || !isShown) return undefined;
    const opened = new Viewer(host.current, {
      isLink: (ref) => findRefUrl(ref) !== undefined,
      openLink: (ref) => location.assign(findRefUrl(ref) ?? ""),
      findDetails: () => undefined,
      onChoose: () => {},
      readout,
    });
    viewer.current = opened;
    return () => {
      opened.removeListeners();
      viewer.current = undefined;
    };
  }, [isShown, readout]);
  // A layout effect draws the picture together with the content below it, so that this content does not move.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `readout` opens another viewer
  useLayoutEffect(() => {
    if (text === undefined) return;
    const svg = parseSafeSvg(text);
    viewer.current?.showDrawing(omitsHeading ? removeHeading(svg) : svg, "The picture could not be read.");
    viewer.current?.revealElement(subject);
  }, [text, subject, readout, omitsHeading]);
  if (!isShown) return null;
  return (
    <figure class="picture">
      <DownloadButtons question={question} name={label} />
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

const HEADING_SELECTOR = '[data-part="heading"]';
const ASIDE_SELECTOR = '[data-part="aside"]';

/** Removes the title, figures, sentences and lists that the page shows itself. Saved files of the drawing keep them. */
function removeHeading(svg: SVGSVGElement | undefined): SVGSVGElement | undefined {
  if (svg === undefined) return svg;
  const { x, y, width, height } = svg.viewBox.baseVal;
  const beside = svg.querySelector(ASIDE_SELECTOR)?.parentElement;
  if (beside != null) removeParts(beside, ASIDE_SELECTOR);
  const left = height - removeParts(svg, HEADING_SELECTOR);
  svg.setAttribute("viewBox", `${x} ${y} ${width} ${left}`);
  svg.setAttribute("height", String((svg.height.baseVal.value * left) / height));
  return svg;
}

/** Removes parts of a drawing and moves up what is below them. Returns the removed height. */
function removeParts(parent: Element, part: string): number {
  let removedHeight = 0;
  for (const child of [...parent.children]) {
    if (child.matches(part)) {
      removedHeight += Number(child.getAttribute("data-height"));
      child.remove();
      continue;
    }
    const inside = child.querySelector(part) === null ? 0 : removeParts(child, part);
    if (removedHeight > 0) {
      const own = child.getAttribute("transform") ?? "";
      child.setAttribute("transform", `translate(0 ${-removedHeight}) ${own}`.trim());
    }
    removedHeight += inside;
  }
  return removedHeight;
}
