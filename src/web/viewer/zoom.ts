/** Zoom levels of the buttons, as factors of the picture's original size. */
const ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const;
const MOST_STEP = 4;
/**
 * Smallest factor at which a picture opens fitted to its frame. A picture that would be smaller opens at its original
 * size and scrolls, because its parts could not be distinguished.
 */
const LEAST_FIT = 0.4;
/** Smallest factor at which letters are readable; below it, a searched element is shown at the original size. */
const LEAST_READ = 0.8;
/** Smallest and largest factors that wheel and pinch can reach. */
const LEAST_ZOOM = 0.1;
const MOST_ZOOM = 8;
/** Pixels from the frame's top to a revealed element, because the frame's middle may be below the screen. */
const REVEALED_TOP = 96;

/** Size factor; `fit` shows the whole picture, at most at its original size. */
export type ZoomLevel = number | "fit";

/** Size of a picture in its scrolling frame. */
export class PictureZoom {
  readonly #frame: HTMLElement;
  readonly #changed: () => void;
  #natural = { width: 0, height: 0 };
  #chosen: ZoomLevel | undefined;

  constructor(frame: HTMLElement, changed: () => void) {
    this.#frame = frame;
    this.#changed = changed;
  }

  /** Sets the size of a new drawing; the chosen zoom level stays. */
  resize(width: number, height: number): void {
    this.#natural = { width, height };
    this.#apply();
  }

  get level(): ZoomLevel {
    if (this.#chosen !== undefined) return this.#chosen;
    const { width, height } = this.#natural;
    return Math.min(this.#frame.clientWidth / width, this.#height / height) < LEAST_FIT ? 1 : "fit";
  }

  get isLeast(): boolean {
    return typeof this.level === "number" && this.level <= ZOOMS[0];
  }

  get isMost(): boolean {
    return typeof this.level === "number" && this.level >= MOST_STEP;
  }

  choose(level: ZoomLevel): void {
    this.#chosen = level;
    this.#apply();
  }

  smaller(): void {
    this.choose(ZOOMS.findLast((one) => one < this.#share - 0.01) ?? ZOOMS[0]);
  }

  larger(): void {
    this.choose(ZOOMS.find((one) => one > this.#share + 0.01) ?? MOST_STEP);
  }

  /** Zooms by a factor; the point of the picture under the pointer stays there. */
  around(factor: number, clientX: number, clientY: number): void {
    const svg = this.#svg;
    if (svg === null) return;
    const before = svg.getBoundingClientRect();
    const share = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, this.#share * factor));
    const [x, y] = [(clientX - before.x) / before.width, (clientY - before.y) / before.height];
    this.choose(share);
    const after = svg.getBoundingClientRect();
    this.#frame.scrollLeft += after.x + x * after.width - clientX;
    this.#frame.scrollTop += after.y + y * after.height - clientY;
  }

  /**
   * Scrolls the frame, not the page, until the element is centred in the frame's upper part.
   * @param isSought whether a person searches for it; it is then enlarged until it is readable
   */
  reveal(element: Element, isSought: boolean): void {
    if (isSought && this.#share < LEAST_READ) this.choose(1);
    const [outer, inner] = [this.#frame.getBoundingClientRect(), element.getBoundingClientRect()];
    const top = Math.min(REVEALED_TOP, outer.height / 3);
    this.#frame.scrollLeft += inner.x + inner.width / 2 - outer.x - outer.width / 2;
    this.#frame.scrollTop += inner.y - outer.y - top;
  }

  get #svg(): SVGSVGElement | null {
    return this.#frame.querySelector("svg");
  }

  get #share(): number {
    if (typeof this.#chosen === "number") return this.#chosen;
    return (this.#svg?.getBoundingClientRect().width ?? this.#natural.width) / this.#natural.width;
  }

  #apply(): void {
    if (this.#natural.width === 0) return;
    this.#frame.style.setProperty("--width", this.#width());
    this.#changed();
  }

  /** Returns the width of the picture as CSS. */
  #width(): string {
    const { level } = this;
    const { width, height } = this.#natural;
    if (typeof level === "number") return `${width * level}px`;
    return `min(100%, ${Math.min(width, (this.#height * width) / height)}px)`;
  }

  /** Returns the height in pixels that a picture may have. A frame without a maximum height has a fixed height. */
  get #height(): number {
    const most = Number.parseFloat(getComputedStyle(this.#frame).maxHeight);
    return (Number.isNaN(most) ? this.#frame.clientHeight : most) - 4;
  }
}
