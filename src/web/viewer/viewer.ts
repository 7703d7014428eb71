import {
  createHtmlElement,
  createSearchBox,
  createTextButton,
  type ElementDetails,
  ElementSearch,
  type ElementTips,
  extractTips,
  findElementAt,
  findFocusedRef,
  findTipAt,
  getElementRef,
  listDrawnElements,
  makeElementsFocusable,
  moveFocusByKey,
  parseElementTip,
  restoreFocus,
  showDetails,
  showTip,
} from "./elements.ts";
import { PictureZoom } from "./zoom.ts";

interface ViewerOptions {
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

/**
 * Turns entries of the legend into toggle buttons that highlight only matching elements. An element matches an entry if
 * one of its shapes has the fill of the sample, or the stroke if the sample is a line. Entries that match no element
 * stay plain.
 *
 * @param onChange called with the numbers of matching and of all elements, or undefined while no entry is chosen
 */
function enableLegendFilter(
  svg: SVGSVGElement,
  onChange: (left: { readonly shown: number; readonly all: number } | undefined) => void,
): void {
  const elements = listDrawnElements(svg).map((element) => ({ element, looks: collectColors(element) }));
  const chosen = new Set<string>();
  const updateElements = () => {
    let shown = 0;
    for (const { element, looks } of elements) {
      const isLeft = chosen.size === 0 || [...chosen].some((look) => looks.has(look));
      const holdsOne = element.querySelector("g[data-ref]") !== null;
      element.classList.toggle("back", !isLeft && !holdsOne);
      if (isLeft) shown += 1;
    }
    onChange(chosen.size === 0 ? undefined : { shown, all: elements.length });
  };
  for (const entry of svg.querySelectorAll<SVGGElement>('[data-part="legend"]')) {
    const [look] = collectColors(entry);
    if (look === undefined || !elements.some(({ looks }) => looks.has(look))) continue;
    const toggleEntry = () => {
      if (!chosen.delete(look)) chosen.add(look);
      entry.setAttribute("aria-pressed", String(chosen.has(look)));
      updateElements();
    };
    entry.setAttribute("role", "button");
    entry.setAttribute("tabindex", "0");
    entry.setAttribute("aria-pressed", "false");
    entry.setAttribute("aria-label", `Only ${entry.querySelector(":scope > text")?.textContent ?? ""}`);
    entry.addEventListener("click", toggleEntry);
    entry.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggleEntry();
    });
  }
}

const SHAPE_SELECTOR = "rect, path, circle, line";

/** Returns the colours of an element's own shapes, not of nested elements. The first colour identifies a sample. */
function collectColors(group: SVGGElement): ReadonlySet<string> {
  const own = [...group.querySelectorAll(SHAPE_SELECTOR)].filter((shape) => {
    const holder = shape.closest("g[data-ref], [data-part]");
    return holder === group;
  });
  return new Set(own.map(getShapeColor));
}

function getShapeColor(shape: Element): string {
  const fill = shape.getAttribute("fill") ?? "none";
  if (fill !== "none") return fill;
  return `${shape.getAttribute("stroke")} ${shape.getAttribute("stroke-dasharray") ?? ""}`;
}

/** Ratio of picture size to frame size from which the minimap is shown. */
const MIN_SIZE_RATIO = 1.6;
/** Minimum width of the frame in pixels; in a narrower frame the minimap would hide too much. */
const MIN_FRAME_WIDTH = 560;
const [MAX_WIDTH, MAX_HEIGHT] = [170, 120] as const;

/** A small copy of a picture that is much larger than its frame. It marks the visible part; a press scrolls there. */
class Minimap {
  readonly #frame: HTMLElement;
  readonly #box: HTMLElement;
  readonly #mark: HTMLElement;

  constructor(frame: HTMLElement, signal: AbortSignal) {
    this.#frame = frame;
    this.#mark = document.createElement("div");
    this.#box = document.createElement("div");
    this.#box.className = "minimap";
    this.#box.hidden = true;
    // The keyboard and screen readers use the picture itself.
    this.#box.setAttribute("aria-hidden", "true");
    this.#box.append(this.#mark);
    frame.after(this.#box);
    frame.addEventListener("scroll", () => this.updateMark(), { signal, passive: true });
    const resized = new ResizeObserver(() => this.updateMark());
    resized.observe(frame);
    signal.addEventListener("abort", () => resized.disconnect());
    this.#box.addEventListener("pointerdown", (event) => {
      this.#box.setPointerCapture(event.pointerId);
      this.#scrollToPointer(event);
    });
    this.#box.addEventListener("pointermove", (event) => event.buttons > 0 && this.#scrollToPointer(event));
  }

  /** Shows a copy of another drawing. */
  showDrawing(svg: SVGSVGElement): void {
    const text = new XMLSerializer().serializeToString(svg);
    // A background image stays one image, however many elements the drawing has.
    this.#box.style.backgroundImage = `url("data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}")`;
    const { width, height } = svg.viewBox.baseVal;
    const share = Math.min(MAX_WIDTH / width, MAX_HEIGHT / height);
    this.#box.style.width = `${width * share}px`;
    this.#box.style.height = `${height * share}px`;
    this.updateMark();
  }

  /** Moves the mark to the visible part of the picture. */
  updateMark(): void {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight, scrollLeft, scrollTop } = this.#frame;
    this.#box.hidden =
      clientWidth < MIN_FRAME_WIDTH ||
      (scrollWidth < MIN_SIZE_RATIO * clientWidth && scrollHeight < MIN_SIZE_RATIO * clientHeight);
    if (this.#box.hidden) return;
    const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
    this.#mark.style.left = percent(scrollLeft, scrollWidth);
    this.#mark.style.top = percent(scrollTop, scrollHeight);
    this.#mark.style.width = percent(clientWidth, scrollWidth);
    this.#mark.style.height = percent(clientHeight, scrollHeight);
  }

  #scrollToPointer({ clientX, clientY }: PointerEvent): void {
    const { x, y, width, height } = this.#box.getBoundingClientRect();
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = this.#frame;
    this.#frame.scrollLeft = ((clientX - x) / width) * scrollWidth - clientWidth / 2;
    this.#frame.scrollTop = ((clientY - y) / height) * scrollHeight - clientHeight / 2;
  }
}

/** Zooms by a factor; the point of the picture at `clientX` and `clientY` stays there. */
type Zoom = (factor: number, clientX: number, clientY: number) => void;

/** Distance in pixels that a pointer may move during a click. */
const MAX_CLICK_MOVE_PX = 4;
/** Scroll distance of the wheel that doubles the size, in pixels. */
const WHEEL_DOUBLING_PX = 400;

/**
 * Zooms by wheel and pinch, and drags by mouse; touch scrolls the frame natively. The wheel scrolls the page until the
 * picture has been clicked or is focused, so that scrolling a page does not stop at a picture.
 * @returns a function that removes the listeners
 */
function enablePictureMoves(frame: HTMLElement, zoom: Zoom): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let isEntered = false;
  frame.addEventListener(
    "wheel",
    (event) => {
      const isMeant = event.ctrlKey || event.metaKey || isEntered || frame.contains(document.activeElement);
      if (!isMeant) return;
      event.preventDefault();
      const px = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
      zoom(2 ** (-px / (event.ctrlKey ? WHEEL_DOUBLING_PX / 4 : WHEEL_DOUBLING_PX)), event.clientX, event.clientY);
    },
    { passive: false, signal },
  );
  const markEntered = () => {
    isEntered = true;
  };
  const markLeft = ({ pointerType }: PointerEvent) => {
    if (pointerType === "mouse") isEntered = false;
  };
  frame.addEventListener("pointerdown", markEntered, { signal });
  frame.addEventListener("pointerleave", markLeft, { signal });
  enableDrag(frame, signal);
  enablePinchZoom(frame, zoom, signal);
  return () => ended.abort();
}

function enableDrag(frame: HTMLElement, signal: AbortSignal): void {
  let from: { readonly x: number; readonly y: number; readonly left: number; readonly top: number } | undefined;
  let isDragged = false;
  frame.addEventListener(
    "pointerdown",
    ({ button, pointerType, clientX, clientY }) => {
      isDragged = false;
      if (button !== 0 || pointerType !== "mouse") return;
      from = { x: clientX, y: clientY, left: frame.scrollLeft, top: frame.scrollTop };
    },
    { signal },
  );
  const moveDrag = ({ clientX, clientY }: PointerEvent) => {
    if (from === undefined) return;
    const [dx, dy] = [clientX - from.x, clientY - from.y];
    if (!isDragged && Math.hypot(dx, dy) < MAX_CLICK_MOVE_PX) return;
    isDragged = true;
    frame.classList.add("moving");
    frame.scrollTo(from.left - dx, from.top - dy);
  };
  const endDrag = () => {
    from = undefined;
    frame.classList.remove("moving");
  };
  addEventListener("pointermove", moveDrag, { signal });
  addEventListener("pointerup", endDrag, { signal });
  addEventListener("pointercancel", endDrag, { signal });
  // The click at the end of a drag does not select an element.
  const stopDragClick = (event: MouseEvent) => isDragged && event.stopPropagation();
  frame.addEventListener("click", stopDragClick, { capture: true, signal });
}

function enablePinchZoom(frame: HTMLElement, zoom: Zoom, signal: AbortSignal): void {
  let spread = 0;
  frame.addEventListener(
    "touchmove",
    (event) => {
      const [one, other] = event.touches;
      if (one === undefined || other === undefined) return;
      event.preventDefault();
      const now = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      if (spread > 0 && now > 0) {
        zoom(now / spread, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
      }
      spread = now;
    },
    { passive: false, signal },
  );
  for (const name of ["touchstart", "touchend", "touchcancel"] as const) {
    const resetSpread = () => {
      spread = 0;
    };
    frame.addEventListener(name, resetSpread, { signal });
  }
}
