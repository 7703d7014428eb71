import { createHtmlElement, createTextButton, type ElementDetails, parseElementTip, showDetails } from "./details.ts";
import {
  findElementAt,
  findFocusedRef,
  getRefOfElement,
  listDrawnElements,
  makeElementsFocusable,
  moveFocusByKey,
  restoreFocus,
} from "./elements.ts";
import { createSearchBox, ElementSearch } from "./find.ts";
import { enableLegendFilter } from "./legend.ts";
import { Minimap } from "./minimap.ts";
import { enablePictureMoves } from "./moves.ts";
import { type ElementTips, extractTips, findTipAt, placeTip } from "./tips.ts";
import { PictureZoom } from "./zoom.ts";

export interface ViewerOptions {
  /** Whether an element is a link: a click on a link opens its target instead of the element's details. */
  readonly leads: (ref: string) => boolean;
  readonly follow: (ref: string) => void;
  /** Returns recorded details of an element that its tip lacks; undefined if there are none. */
  readonly details: (ref: string) => ElementDetails | undefined;
  /** Called when the details of an element are opened. */
  readonly chosen: (ref: string) => void;
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
  readonly #ended = new AbortController();
  readonly #tools = createHtmlElement("div");
  readonly #tip = createHtmlElement("div");
  readonly #readout = createHtmlElement("output");
  readonly #details = createHtmlElement("aside");
  readonly #left = createHtmlElement("output");
  readonly #zoom: PictureZoom;
  readonly #find: ElementSearch;
  readonly #minimap: Minimap;
  readonly #native: HTMLButtonElement;
  readonly #fit: HTMLButtonElement;
  readonly #less: HTMLButtonElement;
  readonly #more: HTMLButtonElement;
  #tips: ElementTips = new Map();
  /** Reference of the element that was scrolled into view. The viewer does not scroll to it again. */
  #revealed: string | undefined;

  constructor(host: HTMLElement, options: ViewerOptions) {
    this.#options = options;
    const around = createHtmlElement("div");
    around.className = "picture-view";
    this.frame.className = "picture-frame";
    around.append(this.frame);
    this.#zoom = new PictureZoom(this.frame, () => this.#zoomed());
    this.#find = new ElementSearch({
      show: (element) => this.#mark(element),
      open: (element) => this.choose(getRefOfElement(element)),
      wordsOf: (ref) => (options.details(ref)?.facts ?? []).map(({ value }) => value).join(" "),
    });
    this.#less = createTextButton("−", () => this.#zoom.smaller());
    this.#native = createTextButton("100 %", () => this.#zoom.choose(1));
    this.#more = createTextButton("+", () => this.#zoom.larger());
    this.#fit = createTextButton("Fit", () => this.#zoom.choose("fit"));
    this.#dress();
    host.append(this.#tools, around, options.readout ? this.#readout : this.#tip, this.#details);
    this.#minimap = new Minimap(this.frame, this.#ended.signal);
    const stop = enablePictureMoves(this.frame, { zoom: (factor, x, y) => this.#zoom.around(factor, x, y) });
    this.#ended.signal.addEventListener("abort", stop);
    this.#listen();
  }

  /** Shows a drawing and keeps the focus, the size and the scroll position. Without a drawing, shows `words`. */
  show(svg: SVGSVGElement | undefined, words = ""): void {
    if (svg === undefined) {
      this.frame.replaceChildren(words);
      return;
    }
    makeElementsFocusable(svg, this.#options.leads);
    this.#tips = extractTips(svg);
    const held = findFocusedRef(this.frame);
    this.#minimap.show(svg);
    enableLegendFilter(svg, (left) => {
      this.#left.textContent = left === undefined ? "" : `${left.shown} of ${left.all} shown`;
    });
    this.frame.replaceChildren(svg);
    if (held !== undefined) restoreFocus(svg, held);
    const { width, height } = svg.viewBox.baseVal;
    this.#zoom.resize(width, height);
    this.#find.take(svg, this.#tips);
    this.#minimap.follow();
  }

  /** Scrolls an element into view, once per element. */
  reveal(ref: string): void {
    if (this.#revealed === ref) return;
    this.#revealed = ref;
    const element = this.#elementOf(ref);
    if (element !== undefined) this.#zoom.reveal(element, false);
  }

  /** Selects an element: shows its details and scrolls it into view. */
  choose(ref: string): void {
    const element = this.#elementOf(ref);
    if (element !== undefined) this.#mark(element);
    const tip = element === undefined ? undefined : findTipAt(this.#tips, element);
    const details = this.#options.details(ref) ?? (tip === undefined ? undefined : parseElementTip(ref, tip));
    if (details === undefined) return;
    showDetails(this.#details, details, {
      choose: (other) => this.choose(other),
      close: () => {
        this.#details.hidden = true;
        this.#mark(undefined);
      },
    });
    this.#options.chosen(ref);
  }

  /** Removes the listeners outside the host. */
  end(): void {
    this.#ended.abort();
  }

  #dress(): void {
    this.#less.setAttribute("aria-label", "Zoom out");
    this.#more.setAttribute("aria-label", "Zoom in");
    this.#native.title = "The picture's own size";
    this.#fit.title = "All of the picture";
    this.#tools.className = "picture-tools";
    this.#tools.append(createSearchBox(this.#find), this.#left, this.#less, this.#native, this.#more, this.#fit);
    this.#tip.className = "picture-tip";
    this.#tip.setAttribute("role", "tooltip");
    this.#tip.hidden = true;
    this.#readout.className = "readout";
    this.#details.className = "picture-details";
    this.#details.setAttribute("aria-label", "Details");
    this.#details.hidden = true;
  }

  #listen(): void {
    const { frame } = this;
    for (const name of ["pointermove", "pointerleave", "focusin"] as const) {
      frame.addEventListener(name, (event) => this.#tell(event));
    }
    frame.addEventListener("click", ({ target }) => this.#act(findElementAt(target)));
    frame.addEventListener("keydown", (event) => this.#press(event));
  }

  #tell(event: PointerEvent | FocusEvent): void {
    const text = event.type === "pointerleave" ? undefined : findTipAt(this.#tips, event.target);
    if (this.#options.readout) {
      if (text !== undefined) this.#readout.textContent = text.replaceAll("\n", " · ");
      return;
    }
    if (!("clientX" in event)) return;
    placeTip(this.#tip, event.buttons > 0 ? undefined : text, event.clientX, event.clientY);
  }

  #act(element: SVGGElement | undefined): void {
    if (element === undefined) return;
    const ref = getRefOfElement(element);
    if (this.#options.leads(ref)) this.#options.follow(ref);
    else this.choose(ref);
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const current = findElementAt(event.target);
    const keys: Readonly<Record<string, () => void>> = {
      "+": () => this.#zoom.larger(),
      "=": () => this.#zoom.larger(),
      "-": () => this.#zoom.smaller(),
      0: () => this.#zoom.choose("fit"),
    };
    const act = keys[event.key];
    if (act !== undefined) act();
    else if (current === undefined) return;
    else if (event.key === "Enter") this.#act(current);
    else if (!moveFocusByKey(current, event.key)) return;
    event.preventDefault();
  }

  #elementOf(ref: string): SVGGElement | undefined {
    return listDrawnElements(this.frame).find(
      (element) => getRefOfElement(element).toLowerCase() === ref.toLowerCase(),
    );
  }

  #mark(element: SVGGElement | undefined): void {
    for (const marked of this.frame.querySelectorAll(".chosen")) marked.classList.remove("chosen");
    if (element === undefined) return;
    for (const one of listDrawnElements(this.frame)) {
      if (getRefOfElement(one) === getRefOfElement(element)) one.classList.add("chosen");
    }
    this.#zoom.reveal(element, true);
  }

  #zoomed(): void {
    const { level, isLeast, isMost } = this.#zoom;
    this.#native.textContent = `${typeof level === "number" ? Math.round(level * 100) : 100} %`;
    this.#native.setAttribute("aria-pressed", String(level === 1));
    this.#fit.setAttribute("aria-pressed", String(level === "fit"));
    this.#less.disabled = isLeast;
    this.#more.disabled = isMost;
    this.#minimap.follow();
  }
}
