/** Zoom levels of the buttons, as factors of the picture's original size. */
const BUTTON_ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const;
const MAX_BUTTON_ZOOM = 4;
/**
 * Smallest factor at which a picture opens fitted to its frame. A picture that would be smaller opens at its original
 * size and scrolls, because its parts could not be distinguished.
 */
const MIN_FIT_ZOOM = 0.4;
/** Smallest factor at which letters are readable; below it, a searched element is shown at the original size. */
const MIN_READABLE_ZOOM = 0.8;
/** Smallest and largest factors that wheel and pinch can reach. */
const MIN_ZOOM = 0.1;
const MAX_ZOOM = 8;
/** Pixels from the frame's top to a revealed element, because the frame's middle may be below the screen. */
const REVEAL_TOP_PX = 96;

/** Size factor; `fit` shows the whole picture, at most at its original size. */
export type ZoomLevel = number | "fit";

/** Size of a picture in its scrolling frame. */
export class PictureZoom {
  readonly #frame: HTMLElement;
  readonly #onChange: () => void;
  #naturalSize = { width: 0, height: 0 };
  #chosenLevel: ZoomLevel | undefined;

  constructor(frame: HTMLElement, changed: () => void) {
    this.#frame = frame;
    this.#onChange = changed;
  }

  /** Sets the size of a new drawing; the chosen zoom level stays. */
  resize(width: number, height: number): void {
    this.#naturalSize = { width, height };
    this.#applyLevel();
  }

  get level(): ZoomLevel {
    if (this.#chosenLevel !== undefined) return this.#chosenLevel;
    const { width, height } = this.#naturalSize;
    return Math.min(this.#frame.clientWidth / width, this.#maxHeight / height) < MIN_FIT_ZOOM ? 1 : "fit";
  }

  get isSmallest(): boolean {
    return typeof this.level === "number" && this.level <= BUTTON_ZOOMS[0];
  }

  get isLargest(): boolean {
    return typeof this.level === "number" && this.level >= MAX_BUTTON_ZOOM;
  }

  setLevel(level: ZoomLevel): void {
    this.#chosenLevel = level;
    this.#applyLevel();
  }

  zoomOut(): void {
    this.setLevel(BUTTON_ZOOMS.findLast((one) => one < this.#factor - 0.01) ?? BUTTON_ZOOMS[0]);
  }

  zoomIn(): void {
    this.setLevel(BUTTON_ZOOMS.find((one) => one > this.#factor + 0.01) ?? MAX_BUTTON_ZOOM);
  }

  /** Zooms by a factor; the point of the picture under the pointer stays there. */
  zoomAround(factor: number, clientX: number, clientY: number): void {
    const svg = this.#svg;
    if (svg === null) return;
    const before = svg.getBoundingClientRect();
    const share = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, this.#factor * factor));
    const [x, y] = [(clientX - before.x) / before.width, (clientY - before.y) / before.height];
    this.setLevel(share);
    const after = svg.getBoundingClientRect();
    this.#frame.scrollLeft += after.x + x * after.width - clientX;
    this.#frame.scrollTop += after.y + y * after.height - clientY;
  }

  /**
   * Scrolls the frame, not the page, until the element is centred in the frame's upper part.
   * @param isSought whether a person searches for it; it is then enlarged until it is readable
   */
  revealElement(element: Element, isSought: boolean): void {
    if (isSought && this.#factor < MIN_READABLE_ZOOM) this.setLevel(1);
    const [outer, inner] = [this.#frame.getBoundingClientRect(), element.getBoundingClientRect()];
    const top = Math.min(REVEAL_TOP_PX, outer.height / 3);
    this.#frame.scrollLeft += inner.x + inner.width / 2 - outer.x - outer.width / 2;
    this.#frame.scrollTop += inner.y - outer.y - top;
  }

  get #svg(): SVGSVGElement | null {
    return this.#frame.querySelector("svg");
  }

  get #factor(): number {
    if (typeof this.#chosenLevel === "number") return this.#chosenLevel;
    return (this.#svg?.getBoundingClientRect().width ?? this.#naturalSize.width) / this.#naturalSize.width;
  }

  #applyLevel(): void {
    if (this.#naturalSize.width === 0) return;
    this.#frame.style.setProperty("--width", this.#formatWidth());
    this.#onChange();
  }

  /** Returns the width of the picture as CSS. */
  #formatWidth(): string {
    const { level } = this;
    const { width, height } = this.#naturalSize;
    if (typeof level === "number") return `${width * level}px`;
    return `min(100%, ${Math.min(width, (this.#maxHeight * width) / height)}px)`;
  }

  /** Returns the height in pixels that a picture may have. A frame without a maximum height has a fixed height. */
  get #maxHeight(): number {
    const most = Number.parseFloat(getComputedStyle(this.#frame).maxHeight);
    return (Number.isNaN(most) ? this.#frame.clientHeight : most) - 4;
  }
}
