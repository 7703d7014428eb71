import { button, type Details, detailsOfTip, make, showDetails } from "./details.ts";
import { elementAt, elementsIn, focusedRef, makeReachable, refOf, refocus, stepFocus } from "./elements.ts";
import { Find, findBox } from "./find.ts";
import { filterByLegend } from "./legend.ts";
import { Minimap } from "./minimap.ts";
import { movePicture } from "./moves.ts";
import { placeTip, type Tips, takeTips, tipAt } from "./tips.ts";
import { Zoom } from "./zoom.ts";

export interface ViewerOptions {
  /** Whether an element is a link: a click on a link opens its target instead of the element's details. */
  readonly leads: (ref: string) => boolean;
  readonly follow: (ref: string) => void;
  /** What is recorded of an element beyond its tip; undefined where nothing is. */
  readonly details: (ref: string) => Details | undefined;
  /** Hears which element was chosen by its details. */
  readonly chosen: (ref: string) => void;
  /** Describes the hovered or focused element in a line below the picture instead of a tooltip. */
  readonly readout: boolean;
}

/**
 * Shows a picture to be zoomed, dragged, searched and filtered, by mouse, touch and keyboard. Everything that it adds is
 * within its host. Zooming scrolls the frame, so that fingers, wheels and keys move it as they move any page.
 */
export class Viewer {
  readonly frame = make("div");
  readonly #options: ViewerOptions;
  readonly #ended = new AbortController();
  readonly #tools = make("div");
  readonly #tip = make("div");
  readonly #readout = make("output");
  readonly #details = make("aside");
  readonly #left = make("output");
  readonly #zoom: Zoom;
  readonly #find: Find;
  readonly #minimap: Minimap;
  readonly #native: HTMLButtonElement;
  readonly #fit: HTMLButtonElement;
  readonly #less: HTMLButtonElement;
  readonly #more: HTMLButtonElement;
  #tips: Tips = new Map();
  /** The element that was brought into view, which another answer to the same question leaves alone. */
  #revealed: string | undefined;

  constructor(host: HTMLElement, options: ViewerOptions) {
    this.#options = options;
    const around = make("div");
    around.className = "picture-view";
    this.frame.className = "picture-frame";
    around.append(this.frame);
    this.#zoom = new Zoom(this.frame, () => this.#zoomed());
    this.#find = new Find({
      show: (element) => this.#mark(element),
      open: (element) => this.choose(refOf(element)),
      wordsOf: (ref) => (options.details(ref)?.facts ?? []).map(({ value }) => value).join(" "),
    });
    this.#less = button("−", () => this.#zoom.smaller());
    this.#native = button("100 %", () => this.#zoom.choose(1));
    this.#more = button("+", () => this.#zoom.larger());
    this.#fit = button("Fit", () => this.#zoom.choose("fit"));
    this.#dress();
    host.append(this.#tools, around, options.readout ? this.#readout : this.#tip, this.#details);
    this.#minimap = new Minimap(this.frame, this.#ended.signal);
    const stop = movePicture(this.frame, { zoom: (factor, x, y) => this.#zoom.around(factor, x, y) });
    this.#ended.signal.addEventListener("abort", stop);
    this.#listen();
  }

  /** Shows a drawing; the focus, the size and the place in it stay as they were. Without one it shows `words`. */
  show(svg: SVGSVGElement | undefined, words = ""): void {
    if (svg === undefined) {
      this.frame.replaceChildren(words);
      return;
    }
    makeReachable(svg, this.#options.leads);
    this.#tips = takeTips(svg);
    const held = focusedRef(this.frame);
    this.#minimap.show(svg);
    filterByLegend(svg, (left) => {
      this.#left.textContent = left === undefined ? "" : `${left.shown} of ${left.all} shown`;
    });
    this.frame.replaceChildren(svg);
    if (held !== undefined) refocus(svg, held);
    const { width, height } = svg.viewBox.baseVal;
    this.#zoom.resize(width, height);
    this.#find.take(svg, this.#tips);
    this.#minimap.follow();
  }

  /** Brings an element into view, once. */
  reveal(ref: string): void {
    if (this.#revealed === ref) return;
    this.#revealed = ref;
    const element = this.#elementOf(ref);
    if (element !== undefined) this.#zoom.reveal(element, false);
  }

  /** Chooses an element: its details are shown, and it comes into view. */
  choose(ref: string): void {
    const element = this.#elementOf(ref);
    if (element !== undefined) this.#mark(element);
    const tip = element === undefined ? undefined : tipAt(this.#tips, element);
    const details = this.#options.details(ref) ?? (tip === undefined ? undefined : detailsOfTip(ref, tip));
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

  /** Ends what listens beyond the host. */
  end(): void {
    this.#ended.abort();
  }

  #dress(): void {
    this.#less.setAttribute("aria-label", "Zoom out");
    this.#more.setAttribute("aria-label", "Zoom in");
    this.#native.title = "The picture's own size";
    this.#fit.title = "All of the picture";
    this.#tools.className = "picture-tools";
    this.#tools.append(findBox(this.#find), this.#left, this.#less, this.#native, this.#more, this.#fit);
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
    frame.addEventListener("click", ({ target }) => this.#act(elementAt(target)));
    frame.addEventListener("keydown", (event) => this.#press(event));
  }

  #tell(event: PointerEvent | FocusEvent): void {
    const text = event.type === "pointerleave" ? undefined : tipAt(this.#tips, event.target);
    if (this.#options.readout) {
      if (text !== undefined) this.#readout.textContent = text.replaceAll("\n", " · ");
      return;
    }
    if (!("clientX" in event)) return;
    placeTip(this.#tip, event.buttons > 0 ? undefined : text, event.clientX, event.clientY);
  }

  #act(element: SVGGElement | undefined): void {
    if (element === undefined) return;
    const ref = refOf(element);
    if (this.#options.leads(ref)) this.#options.follow(ref);
    else this.choose(ref);
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const current = elementAt(event.target);
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
    else if (!stepFocus(current, event.key)) return;
    event.preventDefault();
  }

  #elementOf(ref: string): SVGGElement | undefined {
    return elementsIn(this.frame).find((element) => refOf(element).toLowerCase() === ref.toLowerCase());
  }

  #mark(element: SVGGElement | undefined): void {
    for (const marked of this.frame.querySelectorAll(".chosen")) marked.classList.remove("chosen");
    if (element === undefined) return;
    for (const one of elementsIn(this.frame)) {
      if (refOf(one) === refOf(element)) one.classList.add("chosen");
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
