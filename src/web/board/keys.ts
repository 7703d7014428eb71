import { useEffect, useRef } from "preact/hooks";
import { type Card, COLUMNS, type Column } from "#planner/board/wire.ts";

export interface KeyActions {
  readonly columns: Readonly<Record<Column, readonly Card[]>>;
  readonly chosen: Card | undefined;
  readonly choose: (card: Card) => void;
  readonly open: (card: Card) => void;
  readonly close: () => void;
  readonly move: (card: Card, to: Column) => void;
  readonly work: (card: Card) => void;
  readonly add: () => void;
  readonly search: () => void;
  readonly showKeys: () => void;
  readonly undo: () => void;
}

/** What the keys do, for the list of keys. */
export const KEYS = [
  ["↑ ↓, or J K", "go from card to card"],
  ["← →, or H L", "go from column to column"],
  ["Enter", "open the card"],
  ["Shift ← →", "move the card to the column beside it"],
  ["W", "start an agent on the card"],
  ["A", "add a spec"],
  ["U", "take the last change back"],
  ["/", "search"],
  ["Esc", "leave a field, close what is open"],
  ["?", "show the keys"],
] as const;

/** Keys of the whole page, but not in a field or a dialog. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isField = target.matches?.("input:not([type=checkbox]), textarea, select") === true;
      if (event.key === "Escape" && isField && target.closest("dialog") === null) target.blur();
      if (isField || event.ctrlKey || event.metaKey || event.altKey || target.closest?.("dialog") != null) return;
      if (act(event, latest.current)) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function act({ key, shiftKey }: KeyboardEvent, actions: KeyActions): boolean {
  const { chosen } = actions;
  const step = STEPS[key];
  if (step !== undefined && shiftKey && step.column !== 0) return moveBeside(actions, step.column);
  if (step !== undefined) return chooseBeside(actions, step);
  if (key === "Escape") actions.close();
  else if (key === "/") actions.search();
  else if (key === "?") actions.showKeys();
  else if (key === "a") actions.add();
  else if (key === "u") actions.undo();
  else if (key === "w" && chosen !== undefined) actions.work(chosen);
  else return false;
  return true;
}

interface Step {
  readonly column: number;
  readonly card: number;
}

const [left, right, up, down]: readonly Step[] = [
  { column: -1, card: 0 },
  { column: 1, card: 0 },
  { column: 0, card: -1 },
  { column: 0, card: 1 },
];

const STEPS: Readonly<Record<string, Step | undefined>> = {
  ArrowLeft: left,
  h: left,
  ArrowRight: right,
  l: right,
  ArrowUp: up,
  k: up,
  ArrowDown: down,
  j: down,
};

function moveBeside({ chosen, move }: KeyActions, step: number): boolean {
  const to = chosen === undefined ? undefined : COLUMNS[COLUMNS.indexOf(chosen.column) + step];
  if (chosen === undefined || to === undefined) return false;
  move(chosen, to);
  return true;
}

/** Chooses the next card, or one of the next column that has any. */
function chooseBeside({ columns, chosen, choose }: KeyActions, step: Step): boolean {
  const found =
    chosen === undefined
      ? firstCard(columns)
      : step.column === 0
        ? below(columns, chosen, step.card)
        : beside(columns, chosen, step.column);
  if (found !== undefined) choose(found);
  return found !== undefined;
}

function firstCard(columns: KeyActions["columns"]): Card | undefined {
  return columns.ready[0] ?? COLUMNS.map((column) => columns[column][0]).find((card) => card !== undefined);
}

function below(columns: KeyActions["columns"], chosen: Card, step: number): Card | undefined {
  const cards = columns[chosen.column];
  return cards[cards.findIndex(({ id }) => id === chosen.id) + step];
}

function beside(columns: KeyActions["columns"], chosen: Card, step: number): Card | undefined {
  const row = columns[chosen.column].findIndex(({ id }) => id === chosen.id);
  for (let at = COLUMNS.indexOf(chosen.column) + step; at >= 0 && at < COLUMNS.length; at += step) {
    const cards = columns[COLUMNS[at] as Column];
    if (cards.length > 0) return cards[Math.min(Math.max(row, 0), cards.length - 1)];
  }
  return undefined;
}
