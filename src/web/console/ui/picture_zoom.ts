import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { movePicture } from "./picture_moves.ts";

/** Shares of the picture's own size. */
const ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const;
const MOST_STEP = 4;
/** A picture that would shrink to less than this scrolls instead, since its smallest letters could not be read. */
const LEAST_FIT = 0.8;
/** Least and most share of the own size that wheel and pinch reach. */
const LEAST_ZOOM = 0.1;
const MOST_ZOOM = 8;

/** `wide` fills the width of the frame, `fit` shows all of the picture. */
export type Zoom = number | "fit" | "wide";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The width in which a picture is shown, as CSS. */
function widthOf(zoom: Zoom, frame: HTMLElement, { width, height }: Size): string {
  if (zoom === "wide") return `min(100%, ${width}px)`;
  if (zoom !== "fit") return `${width * zoom}px`;
  const room = Number.parseFloat(getComputedStyle(frame).maxHeight);
  return Number.isNaN(room)
    ? `min(100%, ${width}px)`
    : `min(100%, ${Math.min(width, ((room - 4) * width) / height)}px)`;
}

/** How large a picture is shown, and how that changes. */
export interface PictureZoom {
  readonly zoom: Zoom;
  readonly isLeast: boolean;
  readonly isMost: boolean;
  readonly choose: (zoom: Zoom) => void;
  readonly smaller: () => void;
  readonly larger: () => void;
}

/** @param subject the element that comes into view when the picture is larger than its frame */
export function usePictureZoom(
  frame: RefObject<HTMLDivElement | null>,
  { width, height }: Size,
  subject: string,
): PictureZoom {
  const [chosen, setChosen] = useState<Zoom>();
  const byHand = useRef(false);
  const isDrawn = width > 0;
  const room = frame.current?.clientWidth ?? 0;
  const zoom = chosen ?? (isDrawn && room / width < LEAST_FIT ? 1 : "wide");
  useLayoutEffect(() => {
    if (frame.current === null || !isDrawn) return;
    frame.current.style.setProperty("--width", widthOf(zoom, frame.current, { width, height }));
  }, [zoom, width, height, isDrawn, frame]);
  // Another answer to the same question leaves the frame where the person moved it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size is a reason to look for the subject anew
  useLayoutEffect(() => {
    if (isDrawn && frame.current !== null && !byHand.current) reveal(frame.current, subject);
    byHand.current = false;
  }, [zoom, isDrawn, subject]);
  useEffect(() => {
    const place = frame.current;
    if (place === null || !isDrawn) return undefined;
    return movePicture(place, {
      zoom: (factor, clientX, clientY) => {
        byHand.current = true;
        setChosen(zoomAt(place, width, { factor, clientX, clientY }));
      },
    });
  }, [isDrawn, width, frame]);
  const share = () => (typeof zoom === "number" ? zoom : (shownWidth(frame.current) ?? width) / width);
  return {
    zoom,
    isLeast: typeof zoom === "number" && zoom <= ZOOMS[0],
    isMost: typeof zoom === "number" && zoom >= MOST_STEP,
    choose: setChosen,
    smaller: () => setChosen(ZOOMS.findLast((one) => one < share() - 0.01) ?? ZOOMS[0]),
    larger: () => setChosen(ZOOMS.find((one) => one > share() + 0.01) ?? MOST_STEP),
  };
}

interface ZoomAt {
  readonly factor: number;
  readonly clientX: number;
  readonly clientY: number;
}

/** Shows the picture larger or smaller, and keeps the point of it that is under the pointer. Returns the new share. */
function zoomAt(frame: HTMLElement, natural: number, { factor, clientX, clientY }: ZoomAt): number {
  const svg = frame.querySelector("svg");
  if (svg === null) return 1;
  const before = svg.getBoundingClientRect();
  const share = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, (before.width / natural) * factor));
  const [x, y] = [(clientX - before.x) / before.width, (clientY - before.y) / before.height];
  frame.style.setProperty("--width", `${natural * share}px`);
  const after = svg.getBoundingClientRect();
  frame.scrollLeft += after.x + x * after.width - clientX;
  frame.scrollTop += after.y + y * after.height - clientY;
  return share;
}

/** Pixels from the frame's top: the frame's middle may lie below the screen. */
const REVEALED_TOP = 96;

/** Scrolls the frame, and not the page, until the element stands in the middle of its upper part. */
function reveal(frame: HTMLElement, ref: string): void {
  const elements = [...frame.querySelectorAll<SVGGElement>("g[data-ref]")];
  const element = elements.find(({ dataset }) => dataset["ref"]?.toLowerCase() === ref.toLowerCase());
  if (element === undefined) return;
  const [outer, inner] = [frame.getBoundingClientRect(), element.getBoundingClientRect()];
  frame.scrollLeft += inner.x + inner.width / 2 - outer.x - outer.width / 2;
  frame.scrollTop += inner.y - outer.y - REVEALED_TOP;
}

function shownWidth(frame: HTMLElement | null): number | undefined {
  return frame?.querySelector("svg")?.getBoundingClientRect().width;
}
