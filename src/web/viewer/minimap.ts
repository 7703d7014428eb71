/** Ratio of picture size to frame size from which the minimap is shown. */
const LARGE = 1.6;
/** Minimum width of the frame in pixels; in a narrower frame the minimap would hide too much. */
const LEAST_FRAME = 560;
const [MOST_WIDTH, MOST_HEIGHT] = [170, 120] as const;

/** A small copy of a picture that is much larger than its frame. It marks the visible part; a press scrolls there. */
export class Minimap {
  readonly #frame: HTMLElement;
  readonly #box: HTMLElement;
  readonly #view: HTMLElement;

  constructor(frame: HTMLElement, signal: AbortSignal) {
    this.#frame = frame;
    this.#view = document.createElement("div");
    this.#box = document.createElement("div");
    this.#box.className = "minimap";
    this.#box.hidden = true;
    // The keyboard and screen readers use the picture itself.
    this.#box.setAttribute("aria-hidden", "true");
    this.#box.append(this.#view);
    frame.after(this.#box);
    frame.addEventListener("scroll", () => this.follow(), { signal, passive: true });
    const resized = new ResizeObserver(() => this.follow());
    resized.observe(frame);
    signal.addEventListener("abort", () => resized.disconnect());
    this.#box.addEventListener("pointerdown", (event) => {
      this.#box.setPointerCapture(event.pointerId);
      this.#moveTo(event);
    });
    this.#box.addEventListener("pointermove", (event) => event.buttons > 0 && this.#moveTo(event));
  }

  /** Shows a copy of another drawing. */
  show(svg: SVGSVGElement): void {
    const text = new XMLSerializer().serializeToString(svg);
    // A background image stays one image, however many elements the drawing has.
    this.#box.style.backgroundImage = `url("data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}")`;
    const { width, height } = svg.viewBox.baseVal;
    const share = Math.min(MOST_WIDTH / width, MOST_HEIGHT / height);
    this.#box.style.width = `${width * share}px`;
    this.#box.style.height = `${height * share}px`;
    this.follow();
  }

  /** Moves the mark to the visible part of the picture. */
  follow(): void {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight, scrollLeft, scrollTop } = this.#frame;
    this.#box.hidden =
      clientWidth < LEAST_FRAME || (scrollWidth < LARGE * clientWidth && scrollHeight < LARGE * clientHeight);
    if (this.#box.hidden) return;
    const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
    this.#view.style.left = percent(scrollLeft, scrollWidth);
    this.#view.style.top = percent(scrollTop, scrollHeight);
    this.#view.style.width = percent(clientWidth, scrollWidth);
    this.#view.style.height = percent(clientHeight, scrollHeight);
  }

  #moveTo({ clientX, clientY }: PointerEvent): void {
    const { x, y, width, height } = this.#box.getBoundingClientRect();
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = this.#frame;
    this.#frame.scrollLeft = ((clientX - x) / width) * scrollWidth - clientWidth / 2;
    this.#frame.scrollTop = ((clientY - y) / height) * scrollHeight - clientHeight / 2;
  }
}
