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
export function enablePictureMoves(frame: HTMLElement, zoom: Zoom): () => void {
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
