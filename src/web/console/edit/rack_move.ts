import { useEffect, useRef, useState } from "preact/hooks";
import type { GetRackResponse } from "#gen/datacenter/v1/json.ts";
import type { DeviceBox, FaceName } from "./rack_cells.ts";

/** A device being moved, and the rows of its rack that it would occupy. */
export interface DeviceMove {
  readonly box: DeviceBox;
  readonly face: FaceName;
  /** Lowest row that the device would occupy; rows are counted from the top. */
  readonly bottom: number;
}

/** Distance in pixels that turns a press into a drag. */
const DRAG_THRESHOLD_PX = 5;

export interface DeviceMover {
  readonly move: DeviceMove | undefined;
  /** Whether a device is being moved. Unlike `move`, it is current before the next rendering. */
  readonly isMoving: () => boolean;
  /** Starts to move a device by keys. */
  readonly startMove: (box: DeviceBox, face: FaceName) => void;
  readonly shiftMove: (rows: number) => void;
  readonly endMove: (isDone: boolean) => void;
  readonly startDrag: (event: PointerEvent, box: DeviceBox, face: FaceName) => void;
}

/** Moves a device between units by pointer or keys, and calls `done` with a confirmed move. */
export function useDeviceMover(units: GetRackResponse["units"], done: (move: DeviceMove) => void): DeviceMover {
  const [move, setMove] = useState<DeviceMove>();
  const current = useRef<DeviceMove | undefined>(undefined);
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const setCurrentMove = (next: DeviceMove | undefined) => {
    current.current = next;
    setMove(next);
  };
  const endMove = (isDone: boolean) => {
    const last = current.current;
    setCurrentMove(undefined);
    if (isDone && last !== undefined) done(last);
  };
  const clampBottom = (box: DeviceBox, bottom: number) =>
    Math.min(units.length - 1, Math.max(box.bottom - box.top, bottom));
  const startDrag = (event: PointerEvent, box: DeviceBox, face: FaceName) => {
    if (event.button !== 0) return;
    stop.current?.abort();
    const ending = new AbortController();
    stop.current = ending;
    const { signal } = ending;
    const from = { x: event.clientX, y: event.clientY };
    const drag = (moved: PointerEvent) => {
      if (
        current.current === undefined &&
        Math.hypot(moved.clientX - from.x, moved.clientY - from.y) < DRAG_THRESHOLD_PX
      )
        return;
      moved.preventDefault();
      const over = findFaceAt(moved.clientX) ?? face;
      const rows = Math.round((moved.clientY - from.y) / measureRowHeight());
      setCurrentMove({ box, face: over, bottom: clampBottom(box, box.bottom + rows) });
    };
    addEventListener("pointermove", drag, { signal });
    addEventListener(
      "pointerup",
      () => {
        ending.abort();
        if (current.current === undefined) return;
        // The end of a drag must not click the device's link.
        addEventListener("click", (click) => click.preventDefault(), { capture: true, once: true });
        endMove(true);
      },
      { signal },
    );
    const cancel = () => {
      ending.abort();
      endMove(false);
    };
    for (const name of ["pointercancel", "blur"]) addEventListener(name, cancel, { signal });
    addEventListener("keydown", ({ key }) => key === "Escape" && cancel(), { signal });
  };
  return {
    move,
    isMoving: () => current.current !== undefined,
    endMove: endMove,
    startDrag,
    startMove: (box, face) => setCurrentMove({ box, face, bottom: box.bottom }),
    shiftMove: (rows) => {
      const last = current.current;
      if (last !== undefined) setCurrentMove({ ...last, bottom: clampBottom(last.box, last.bottom + rows) });
    },
  };
}

function findFaceAt(x: number): FaceName | undefined {
  const faces = [...document.querySelectorAll<HTMLElement>(".board-face")];
  const found = faces.find((face) => {
    const { left, right } = face.getBoundingClientRect();
    return x >= left && x <= right;
  });
  return found?.dataset["face"] as FaceName | undefined;
}

function measureRowHeight(): number {
  return document.querySelector(".board-number")?.getBoundingClientRect().height || 24;
}
