import { useEffect, useRef, useState } from "preact/hooks";
import type { GetRackResponse } from "#gen/datacenter/v1/json.ts";
import type { Box, FaceName } from "./rack_cells.ts";

/** A device that is being dragged, and the rows of its rack that it would take. */
export interface Move {
  readonly box: Box;
  readonly face: FaceName;
  /** Lowest row that it would take; rows count from the top. */
  readonly bottom: number;
}

/** Pixels that a pointer travels before a press becomes a drag. */
const THRESHOLD = 5;

export interface Moving {
  readonly move: Move | undefined;
  /** Whether a device is on its way, ahead of the next drawing: keys may follow each other faster. */
  readonly isMoving: () => boolean;
  /** Takes a device up, to be moved by keys. */
  readonly lift: (box: Box, face: FaceName) => void;
  readonly shift: (rows: number) => void;
  readonly end: (isDone: boolean) => void;
  readonly startDrag: (event: PointerEvent, box: Box, face: FaceName) => void;
}

/** Moves a device between units by pointer or keys; `done` hears of a move that was confirmed. */
export function useMove(units: GetRackResponse["units"], done: (move: Move) => void): Moving {
  const [move, setMove] = useState<Move>();
  const current = useRef<Move | undefined>(undefined);
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const set = (next: Move | undefined) => {
    current.current = next;
    setMove(next);
  };
  const end = (isDone: boolean) => {
    const last = current.current;
    set(undefined);
    if (isDone && last !== undefined) done(last);
  };
  const within = (box: Box, bottom: number) => Math.min(units.length - 1, Math.max(box.bottom - box.top, bottom));
  const startDrag = (event: PointerEvent, box: Box, face: FaceName) => {
    if (event.button !== 0) return;
    stop.current?.abort();
    const ending = new AbortController();
    stop.current = ending;
    const { signal } = ending;
    const from = { x: event.clientX, y: event.clientY };
    const drag = (moved: PointerEvent) => {
      if (current.current === undefined && Math.hypot(moved.clientX - from.x, moved.clientY - from.y) < THRESHOLD)
        return;
      moved.preventDefault();
      const over = faceAt(moved.clientX) ?? face;
      const rows = Math.round((moved.clientY - from.y) / rowHeight());
      set({ box, face: over, bottom: within(box, box.bottom + rows) });
    };
    addEventListener("pointermove", drag, { signal });
    addEventListener(
      "pointerup",
      () => {
        ending.abort();
        if (current.current === undefined) return;
        // The release of a drag is no click on the device's link.
        addEventListener("click", (click) => click.preventDefault(), { capture: true, once: true });
        end(true);
      },
      { signal },
    );
    const cancel = () => {
      ending.abort();
      end(false);
    };
    for (const name of ["pointercancel", "blur"]) addEventListener(name, cancel, { signal });
    addEventListener("keydown", ({ key }) => key === "Escape" && cancel(), { signal });
  };
  return {
    move,
    isMoving: () => current.current !== undefined,
    end,
    startDrag,
    lift: (box, face) => set({ box, face, bottom: box.bottom }),
    shift: (rows) => {
      const last = current.current;
      if (last !== undefined) set({ ...last, bottom: within(last.box, last.bottom + rows) });
    },
  };
}

function faceAt(x: number): FaceName | undefined {
  const faces = [...document.querySelectorAll<HTMLElement>(".board-face")];
  const found = faces.find((face) => {
    const { left, right } = face.getBoundingClientRect();
    return x >= left && x <= right;
  });
  return found?.dataset["face"] as FaceName | undefined;
}

function rowHeight(): number {
  return document.querySelector(".board-number")?.getBoundingClientRect().height || 24;
}
