import { useLayoutEffect, useRef } from "preact/hooks";

type ElementKeyEvent = KeyboardEvent & { readonly currentTarget: HTMLElement };

/** A cell of an elevation, with the rows of units that it occupies. */
interface ElevationCell {
  readonly element: HTMLElement;
  readonly face: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
}

/** Makes an elevation a single tab stop. Arrow keys move in a face or to the other face, Home and End to its ends. */
export function useArrowKeyFocus() {
  const board = useRef<HTMLDivElement>(null);
  const lastFocus = useRef({ face: "", top: 0 });
  const updateTabStop = () => {
    const cells = board.current === null ? [] : listElevationCells(board.current);
    const { face, top } = lastFocus.current;
    const stop = cells.find((one) => one.face === face && one.top <= top && top <= one.bottom) ?? cells[0];
    for (const { element } of cells) element.tabIndex = element === stop?.element ? 0 : -1;
  };
  // Runs after each drawing, because a moved or new device changes the cells.
  useLayoutEffect(updateTabStop);
  return {
    board,
    onFocusIn: ({ currentTarget, target }: FocusEvent & { readonly currentTarget: HTMLElement }) => {
      const cell = listElevationCells(currentTarget).find(({ element }) => element === target);
      if (cell === undefined) return;
      lastFocus.current = cell;
      updateTabStop();
    },
    onKeyDown: (event: ElementKeyEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const next = findNextCell(listElevationCells(event.currentTarget), event.target, event.key);
      if (next === undefined) return;
      event.preventDefault();
      next.element.focus();
    },
  };
}

/** Returns the cells ordered from the top, then from the left. */
function listElevationCells(board: HTMLElement): readonly ElevationCell[] {
  const cells = [...board.querySelectorAll<HTMLElement>("[data-rows]")].map((element): ElevationCell => {
    const [top = 0, bottom = 0] = (element.dataset["rows"] ?? "").split(" ").map(Number);
    const face = element.closest<HTMLElement>("[data-face]")?.dataset["face"] ?? "";
    return { element, face, top, bottom, left: element.offsetLeft };
  });
  return cells.sort((one, other) => one.top - other.top || one.left - other.left);
}

function findNextCell(
  cells: readonly ElevationCell[],
  from: EventTarget | null,
  key: string,
): ElevationCell | undefined {
  const cell = cells.find(({ element }) => element === from);
  if (cell === undefined) return undefined;
  const own = cells.filter(({ face }) => face === cell.face);
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (step !== undefined) return own[own.indexOf(cell) + step];
  if (key === "Home") return own[0];
  if (key === "End") return own.at(-1);
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const isToward = (other: ElevationCell) => (key === "ArrowRight" ? other.left > cell.left : other.left < cell.left);
  const beside = own.filter((other) => isToward(other) && other.top <= cell.bottom && cell.top <= other.bottom);
  const others = cells.filter(({ face }) => face !== cell.face);
  return beside[0] ?? others.find(({ bottom }) => bottom >= cell.top) ?? others.at(-1);
}
