import { useEffect, useRef } from "preact/hooks";
import { type Card, COLUMNS, type Column } from "#planner/board/wire.ts";
import type { ArrowStep } from "./act.ts";

export interface BoardShortcutActions {
  readonly chosen: Card | undefined;
  /** Returns the card next to the chosen one in the direction of a step. */
  readonly findBeside: (step: ArrowStep) => Card | undefined;
  readonly chooseCard: (card: Card) => void;
  readonly closeSpec: () => void;
  readonly moveCard: (card: Card, to: Column) => void;
  readonly startWork: (card: Card) => void;
  readonly addSpec: () => void;
  readonly focusSearch: () => void;
  readonly changeView: () => void;
  readonly showKeys: () => void;
  readonly undoChange: () => void;
}

/** Keyboard shortcuts and their descriptions, for the dialog that lists them. */
export const BOARD_SHORTCUTS = [
  ["↑ ↓, or J K", "go from card to card"],
  ["← →, or H L", "go from column to column"],
  ["Enter", "open the card"],
  ["Shift ← →", "move the card to the column beside it"],
  ["W", "start an agent on the card"],
  ["A", "add a spec"],
  ["U", "take the last change back"],
  ["D", "show dependencies, or columns"],
  ["/", "search"],
  ["Esc", "leave a field, close what is open"],
  ["?", "show the keys"],
] as const;

/** Handles the page's keyboard shortcuts, except in a field or a dialog. */
export function useBoardShortcuts(actions: BoardShortcutActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isField = target.matches?.("input:not([type=checkbox]), textarea, select") === true;
      if (event.key === "Escape" && isField && target.closest("dialog") === null) target.blur();
      if (isField || event.ctrlKey || event.metaKey || event.altKey || target.closest?.("dialog") != null) return;
      if (handleShortcutKey(event, latest.current)) event.preventDefault();
    };
    addEventListener("keydown", handleKeyDown);
    return () => removeEventListener("keydown", handleKeyDown);
  }, []);
}

function handleShortcutKey({ key, shiftKey }: KeyboardEvent, actions: BoardShortcutActions): boolean {
  const { chosen } = actions;
  const step = STEPS_BY_KEY[key];
  if (step !== undefined && shiftKey && step.across !== 0) return moveCardBeside(actions, step.across);
  if (step !== undefined) return chooseCardBeside(actions, step);
  if (key === "Escape") actions.closeSpec();
  else if (key === "/") actions.focusSearch();
  else if (key === "?") actions.showKeys();
  else if (key === "a") actions.addSpec();
  else if (key === "d") actions.changeView();
  else if (key === "u") actions.undoChange();
  else if (key === "w" && chosen !== undefined) actions.startWork(chosen);
  else return false;
  return true;
}

const [left, right, up, down]: readonly ArrowStep[] = [
  { across: -1, along: 0 },
  { across: 1, along: 0 },
  { across: 0, along: -1 },
  { across: 0, along: 1 },
];

const STEPS_BY_KEY: Readonly<Record<string, ArrowStep | undefined>> = {
  ArrowLeft: left,
  h: left,
  ArrowRight: right,
  l: right,
  ArrowUp: up,
  k: up,
  ArrowDown: down,
  j: down,
};

function moveCardBeside({ chosen, moveCard }: BoardShortcutActions, step: number): boolean {
  const to = chosen === undefined ? undefined : COLUMNS[COLUMNS.indexOf(chosen.column) + step];
  if (chosen === undefined || to === undefined) return false;
  moveCard(chosen, to);
  return true;
}

function chooseCardBeside({ findBeside, chooseCard }: BoardShortcutActions, step: ArrowStep): boolean {
  const found = findBeside(step);
  if (found !== undefined) chooseCard(found);
  return found !== undefined;
}
