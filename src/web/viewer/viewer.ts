import { createHtmlElement, createTextButton, type ElementDetails, parseElementTip, showDetails } from "./details.ts";
import {
  findElementAt,
  findFocusedRef,
  getElementRef,
  listDrawnElements,
  makeElementsFocusable,
  moveFocusByKey,
  restoreFocus,
} from "./elements.ts";
import { createSearchBox, ElementSearch } from "./find.ts";
import { enableLegendFilter } from "./legend.ts";
import { Minimap } from "./minimap.ts";
import { enablePictureMoves } from "./moves.ts";
import { type ElementTips, extractTips, findTipAt, showTip } from "./tips.ts";
import { PictureZoom } from "./zoom.ts";

export interface ViewerOptions {
  /** Whether an element is a link: a click on a link opens its target instead of the element's details. */
  readonly isLink: (ref: string) => boolean;
  readonly openLink: (ref: string) => void;
  /** Returns recorded details of an element that its tip lacks; undefined if there are none. */
  readonly findDetails: (ref: string) => ElementDetails | undefined;
  /** Called when the details of an element are opened. */
  readonly onChoose: (ref: string) => void;
  /** Whether a line below the picture, instead of a tooltip, describes the hovered or focused element. */
  readonly readout: boolean;
}

/**
 * A viewer that zooms, drags, searches and filters a picture, by mouse, touch and keyboard. Adds elements only inside
 * its host. Zooming scrolls the frame, so that touch, wheel and keys work as on any page.
 */
export class Viewer {
  readonly frame = createHtmlElement("div");
  readonly #options: ViewerOptions;
  readonly #controller = new AbortController();
  readonly #tools = createHtmlElement("div");
  readonly #tip = createHtmlElement("div");
  readonly #readout = createHtmlElement("output");
  readonly #details = createHtmlElement("aside");
  readonly #shownCount = createHtmlElement("output");
  readonly #zoom: PictureZoom;
  readonly #search: ElementSearch;
  readonly #minimap: Minimap;
  readonly #nativeSizeButton: HTMLButtonElement;
  readonly #fitButton: HTMLButtonElement;
  readonly #zoomOutButton: HTMLButtonElement;
  readonly #zoomInButton: HTMLButtonElement;
  #tips: ElementTips = new Map();
  /** Reference of the element that was scrolled into view. The viewer does not scroll to it again. */
  #revealedRef: string | undefined;

  constructor(host: HTMLElement, options: ViewerOptions) {
    this.#options = options;
    const around = createHtmlElement("div");
    around.className = "picture-view";
    this.frame.className = "picture-frame";
    around.append(this.frame);
    this.#zoom = new PictureZoom(this.frame, () => this.#updateZoomButtons());
    this.#search = new ElementSearch({
      showDrawing: (element) => this.#markElement(element),
      openElement: (element) => this.chooseElement(getElementRef(element)),
      getSearchText: (ref) => (options.findDetails(ref)?.facts ?? []).map(({ value }) => value).join(" "),
    });
    this.#zoomOutButton = createTextButton("−", () => this.#zoom.zoomOut());
    this.#nativeSizeButton = createTextButton("100 %", () => this.#zoom.setLevel(1));
    this.#zoomInButton = createTextButton("+", () => this.#zoom.zoomIn());
    this.#fitButton = createTextButton("Fit", () => this.#zoom.setLevel("fit"));
    this.#setUpTools();
    host.append(this.#tools, around, options.readout ? this.#readout : this.#tip, this.#details);
    this.#minimap = new Minimap(this.frame, this.#controller.signal);
    const stop = enablePictureMoves(this.frame, (factor, x, y) => this.#zoom.zoomAround(factor, x, y));
    this.#controller.signal.addEventListener("abort", stop);
    this.#addListeners();
  }

  /** Shows a drawing and keeps the focus, the size and the scroll position. Without a drawing, shows `words`. */
  showDrawing(svg: SVGSVGElement | undefined, words = ""): void {
    if (svg === undefined) {
      this.frame.replaceChildren(words);
      return;
    }
    makeElementsFocusable(svg, this.#options.isLink);
    this.#tips = extractTips(svg);
    const held = findFocusedRef(this.frame);
    this.#minimap.showDrawing(svg);
    enableLegendFilter(svg, (left) => {
      this.#shownCount.textContent = left === undefined ? "" : `${left.shown} of ${left.all} shown`;
    });
    this.frame.replaceChildren(svg);
    if (held !== undefined) restoreFocus(svg, held);
    const { width, height } = svg.viewBox.baseVal;
    this.#zoom.resize(width, height);
    this.#search.setDrawing(svg, this.#tips);
    this.#minimap.updateMark();
  }

  /** Scrolls an element into view, once per element. */
  revealElement(ref: string): void {
    if (this.#revealedRef === ref) return;
    this.#revealedRef = ref;
    const element = this.#findElement(ref);
    if (element !== undefined) this.#zoom.revealElement(element, false);
  }

  /** Selects an element: shows its details and scrolls it into view. */
  chooseElement(ref: string): void {
    const element = this.#findElement(ref);
    if (element !== undefined) this.#markElement(element);
    const tip = element === undefined ? undefined : findTipAt(this.#tips, element);
    const details = this.#options.findDetails(ref) ?? (tip === undefined ? undefined : parseElementTip(ref, tip));
    if (details === undefined) return;
    showDetails(this.#details, details, {
      chooseElement: (other) => this.chooseElement(other),
      close: () => {
        this.#details.hidden = true;
        this.#markElement(undefined);
      },
    });
    this.#options.onChoose(ref);
  }

  /** Removes the listeners outside the host. */
  removeListeners(): void {
    this.#controller.abort();
  }

  #setUpTools(): void {
    this.#zoomOutButton.setAttribute("aria-label", "Zoom out");
    this.#zoomInButton.setAttribute("aria-label", "Zoom in");
    this.#nativeSizeButton.title = "The picture's own size";
    this.#fitButton.title = "All of the picture";
    this.#tools.className = "picture-tools";
    this.#tools.append(
      createSearchBox(this.#search),
      this.#shownCount,
      this.#zoomOutButton,
      this.#nativeSizeButton,
      this.#zoomInButton,
      this.#fitButton,
    );
    this.#tip.className = "picture-tip";
    this.#tip.setAttribute("role", "tooltip");
    this.#tip.hidden = true;
    this.#readout.className = "readout";
    this.#details.className = "picture-details";
    this.#details.setAttribute("aria-label", "Details");
    this.#details.hidden = true;
  }

  #addListeners(): void {
    const { frame } = this;
    for (const name of ["pointermove", "pointerleave", "focusin"] as const) {
      frame.addEventListener(name, (event) => this.#updateTip(event));
    }
    frame.addEventListener("click", ({ target }) => this.#activateElement(findElementAt(target)));
    frame.addEventListener("keydown", (event) => this.#handleKey(event));
  }

  #updateTip(event: PointerEvent | FocusEvent): void {
    const text = event.type === "pointerleave" ? undefined : findTipAt(this.#tips, event.target);
    if (this.#options.readout) {
      if (text !== undefined) this.#readout.textContent = text.replaceAll("\n", " · ");
      return;
    }
    if (!("clientX" in event)) return;
    showTip(this.#tip, event.buttons > 0 ? undefined : text, event.clientX, event.clientY);
  }

  #activateElement(element: SVGGElement | undefined): void {
    if (element === undefined) return;
    const ref = getElementRef(element);
    if (this.#options.isLink(ref)) this.#options.openLink(ref);
    else this.chooseElement(ref);
  }

  #handleKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const current = findElementAt(event.target);
    const keys: Readonly<Record<string, () => void>> = {
      "+": () => this.#zoom.zoomIn(),
      "=": () => this.#zoom.zoomIn(),
      "-": () => this.#zoom.zoomOut(),
      0: () => this.#zoom.setLevel("fit"),
    };
    const act = keys[event.key];
    if (act !== undefined) act();
    else if (current === undefined) return;
    else if (event.key === "Enter") this.#activateElement(current);
    else if (!moveFocusByKey(current, event.key)) return;
    event.preventDefault();
  }

  #findElement(ref: string): SVGGElement | undefined {
    return listDrawnElements(this.frame).find((element) => getElementRef(element).toLowerCase() === ref.toLowerCase());
  }

  #markElement(element: SVGGElement | undefined): void {
    for (const marked of this.frame.querySelectorAll(".chosen")) marked.classList.remove("chosen");
    if (element === undefined) return;
    for (const one of listDrawnElements(this.frame)) {
      if (getElementRef(one) === getElementRef(element)) one.classList.add("chosen");
    }
    this.#zoom.revealElement(element, true);
  }

  #updateZoomButtons(): void {
    const { level, isSmallest, isLargest } = this.#zoom;
    this.#nativeSizeButton.textContent = `${typeof level === "number" ? Math.round(level * 100) : 100} %`;
    this.#nativeSizeButton.setAttribute("aria-pressed", String(level === 1));
    this.#fitButton.setAttribute("aria-pressed", String(level === "fit"));
    this.#zoomOutButton.disabled = isSmallest;
    this.#zoomInButton.disabled = isLargest;
    this.#minimap.updateMark();
  }
}
