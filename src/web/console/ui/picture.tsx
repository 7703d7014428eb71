import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RenderResult } from "#gen/datacenter/v1/json.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { Viewer } from "../../viewer/viewer.ts";
import { CallError, callRpc, type PictureRpc, type RpcRequest } from "../api/client.ts";
import { findRefUrl } from "../router.ts";

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

/** RPC and request of a shown picture. */
export interface PictureRequest {
  readonly rpc: PictureRpc;
  readonly request: RpcRequest<PictureRpc>;
}

const DOWNLOAD_FORMATS = ["SVG", "PNG", "HTML", "DOT"] as const;

/** Buttons that save the picture, one per format. */
function DownloadButtons({ question, name }: { readonly question: PictureRequest; readonly name: string }) {
  const [problem, setProblem] = useState("");
  const usual = useRenderOptions();
  const savePictureAs = async (format: string): Promise<void> => {
    setProblem("");
    try {
      // The file keeps the colouring, view and theme of the screen.
      const render = { ...usual, ...question.request.render, format: `RENDER_FORMAT_${format}`, embed_dataset: true };
      const { render: picture } = await callRpc(question.rpc, {
        ...question.request,
        render,
      });
      if (picture !== undefined) savePicture(picture, `${name.replace(/[^\w.-]+/g, "-")}.${format.toLowerCase()}`);
    } catch (error) {
      setProblem(error instanceof CallError ? error.message : "The picture could not be saved.");
    }
  };
  return (
    <span class="download">
      {DOWNLOAD_FORMATS.map((format) => (
        <button key={format} type="button" aria-label={`Save as ${format}`} onClick={() => void savePictureAs(format)}>
          {format}
        </button>
      ))}
      {problem === "" ? null : <span role="alert">{problem}</span>}
    </span>
  );
}

function savePicture({ text, binary, media_type }: RenderResult, fileName: string): void {
  const bytes = binary === undefined ? (text ?? "") : Uint8Array.from(atob(binary), (letter) => letter.charCodeAt(0));
  saveFile(new Blob([bytes], { type: media_type }), fileName);
}

/** Time in milliseconds after which every browser has begun to save the file. */
const URL_LIFETIME_MS = 10_000;

/** Saves a file that the page has created, by a browser download. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}

interface PopoverProps {
  readonly label: ComponentChildren;
  readonly class?: string;
  /** Value of the button's `data-key`, by which shortcuts find it. */
  readonly name?: string;
  /** Accessible description of the button, if its label is only an icon. */
  readonly title?: string;
  /** Whether the popover contains actions, which close it. */
  readonly menu?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a panel below it. Esc and a click outside close the panel. */
export function Popover({ label, class: style = "", name, title, menu = false, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const ended = new AbortController();
    const closeOnOutsideClick = ({ target }: Event) =>
      container.current?.contains(target as Node) === false && setOpen(false);
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    const closeAfterAction = ({ target }: Event) =>
      menu && (target as Element).closest(".actions-menu") !== null && setOpen(false);
    addEventListener("click", closeAfterAction, { signal: ended.signal });
    addEventListener("pointerdown", closeOnOutsideClick, { signal: ended.signal });
    addEventListener("keydown", closeOnEscape, { signal: ended.signal });
    return () => ended.abort();
  }, [open, menu]);
  return (
    <div class="popover" ref={container}>
      <button
        ref={button}
        type="button"
        class={style}
        data-key={name}
        aria-label={title}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open ? <div class={menu ? "popover-body actions-menu" : "popover-body"}>{children}</div> : null}
    </div>
  );
}

const SAFE_ELEMENTS = new Set(
  "svg g rect circle ellipse line path polyline polygon text tspan title desc defs pattern clipPath marker linearGradient stop".split(
    " ",
  ),
);

/**
 * Parses SVG into elements of this page; undefined if the text is no SVG. Keeps only shapes and texts, without
 * handlers, styles or external references. This is a second protection: the server already escapes every name.
 */
function parseSafeSvg(text: string): SVGSVGElement | undefined {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const { documentElement: root } = parsed;
  if (root.localName !== "svg" || parsed.querySelector("parsererror") !== null) return undefined;
  removeUnsafeParts(root);
  return document.importNode(root, true) as unknown as SVGSVGElement;
}

function removeUnsafeParts(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    if (/^on|^style$|href$/i.test(name) || /url\(\s*['"]?[^#'"\s]/i.test(value)) element.removeAttribute(name);
  }
  for (const child of [...element.children]) {
    if (SAFE_ELEMENTS.has(child.localName)) removeUnsafeParts(child);
    else child.remove();
  }
}
