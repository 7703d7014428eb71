/** Ratio of picture size to frame size from which the minimap is shown. */
const MIN_SIZE_RATIO = 1.6;
/** Minimum width of the frame in pixels; in a narrower frame the minimap would hide too much. */
const MIN_FRAME_WIDTH = 560;
const [MAX_WIDTH, MAX_HEIGHT] = [170, 120] as const;

/** A small copy of a picture that is much larger than its frame. It marks the visible part; a press scrolls there. */
export class Minimap {
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
