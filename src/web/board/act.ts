import { useEffect, useRef } from "preact/hooks";
import { type BoardPicture, type Card, COLUMNS, type Column, type PictureBox } from "#planner/board/wire.ts";
import { useUrlHash } from "../shared/browser.ts";
import { boardStore, callTool, describeError, type SeenVersion, showMessage } from "./store.ts";

/** Undoes the last command, for the key U; undefined if that command cannot be undone. */
let lastUndo: (() => void) | undefined;

export function undoLastChange(): void {
  if (lastUndo === undefined) showMessage({ tone: "fault", text: "There is nothing to take back" });
  else lastUndo();
}

/**
 * Runs a command and shows its result as a message. Returns whether it succeeded.
 * @param seen by default the board's revision that the page shows, so that the server can detect conflicts
 */
export async function runCommand(
  tool: string,
  args: object,
  { seen, undo = null }: { readonly seen?: SeenVersion; readonly undo?: object | null } = {},
): Promise<boolean> {
  showMessage(undefined);
  try {
    const { text } = await callTool(tool, args, seen ?? { revision: boardStore.view.data?.revision ?? 0 });
    const takeBack = undo === null ? undefined : () => void runCommand("update", undo);
    lastUndo = takeBack;
    showMessage({ tone: "ok", text: formatToolReply(tool, text), undo: takeBack });
    return true;
  } catch (error) {
    showMessage({ tone: "fault", text: describeError(error) });
    return false;
  }
}

/** Returns the message for the reply to a command. A reply in JSON gets the fixed sentence of its tool. */
function formatToolReply(tool: string, text: string): string {
  return text.startsWith("{") ? (SENTENCES_BY_TOOL[tool] ?? "Done") : text;
}

const SENTENCES_BY_TOOL: Readonly<Record<string, string>> = {
  work: "An agent was started",
  takeover: "The agent was stopped: continue by hand in the worktree",
};

/** Moves a card to a column, or shows why it cannot be moved. `work` opens the dialog that chooses an agent. */
export function moveCard(card: Card, to: Column, work: (card: Card) => void): void {
  const move = planCardMove(card, to);
  if (move === null) return;
  if (move.kind === "no") showMessage({ tone: "fault", text: move.why });
  else if (move.kind === "work") work(card);
  else void runCommand(move.tool, move.args, { undo: move.undo });
}

/** Effect of moving a card to a column. */
type CardMove =
  | { readonly kind: "command"; readonly tool: string; readonly args: object; readonly undo: object | null }
  /** Opens the dialog that chooses an agent. */
  | { readonly kind: "work" }
  | { readonly kind: "no"; readonly why: string };

/** Statuses that a person may set again to undo a move. Source: docs/contract/spec-tool.md#tools. */
const SETTABLE_STATUSES: readonly string[] = ["pending", "in_progress", "completed", "failed"];

/** Returns the effect of moving a card to a column; null if it is already there. */
function planCardMove(card: Card, to: Column): CardMove | null {
  if (card.column === to) return null;
  if (card.agent !== null) return createRefusedMove("An agent works on it: pause it first");
  switch (to) {
    case "blocked":
      return createRefusedMove("A spec is blocked by what it waits for: name that under Edit");
    case "needs_you":
      return createRefusedMove("A spec comes here by itself, when a run ends and a person has to decide");
    case "ready":
      return planMoveToReady(card);
    case "working":
      return planMoveToWorking(card);
    case "done":
      return isWaitingForMerge(card)
        ? createCommandMove("accept", { id: card.id }, null)
        : createCommandMove("finalize", { id: card.id }, createUndoArguments(card));
  }
}

function planMoveToReady(card: Card): CardMove {
  const { id, status } = card;
  if (status === "blocked" && card.waits_for.length > 0) {
    return createRefusedMove(`It waits for ${card.waits_for.join(", ")}: change that under Edit`);
  }
  if (status === "pending") return createRefusedMove(card.note ?? "It waits for other specs");
  const isOpen = ["failed", "needs_attention", "in_progress"].includes(status);
  return isOpen
    ? createCommandMove("reset", { id }, createUndoArguments(card))
    : createCommandMove("update", { id, status: "pending" }, createUndoArguments(card));
}

function planMoveToWorking(card: Card): CardMove {
  if (card.column === "done") return createRefusedMove("It is done: move it to Ready first");
  if (isWaitingForMerge(card)) return createRefusedMove("Its work is finished: accept it, or move it to Ready");
  if (card.column === "blocked") return createRefusedMove(card.note ?? `It waits for ${card.waits_for.join(", ")}`);
  return { kind: "work" };
}

/** Whether the spec's work is finished and waits for a merge. */
export function isWaitingForMerge({ need }: Card): boolean {
  return need === "finished";
}

/** Returns the arguments of `update` that restore the current status; null if a person cannot set this status. */
function createUndoArguments({ id, status }: Card): object | null {
  return SETTABLE_STATUSES.includes(status) ? { id, status } : null;
}

function createCommandMove(tool: string, args: object, undo: object | null): CardMove {
  return { kind: "command", tool, args, undo };
}

function createRefusedMove(why: string): CardMove {
  return { kind: "no", why };
}

export const COLUMN_NAMES: Readonly<Record<Column, string>> = {
  blocked: "Blocked",
  ready: "Ready",
  working: "Working",
  needs_you: "Needs you",
  done: "Done",
};

/** Description of the specs in each column, which the page shows in the column's tooltip. */
export const COLUMN_DESCRIPTIONS: Readonly<Record<Column, string>> = {
  blocked: "pending ones that wait for a spec, a member or an approval, and those with the status `blocked`",
  ready: "pending ones on which work can begin",
  working: "those with a live agent, and those in progress without one",
  needs_you:
    "failed, `needs_attention`, or finished and not merged, also while a pull request is open: with the reason and the next command",
  done: "completed and cancelled ones of the last 30 days; older ones are counted below",
};

/** Returns each column's cards that match the filter: the most urgent first; in Done, the latest ids first. */
export function sortCardsByColumn(
  cards: Iterable<Card>,
  place: BoardAddress,
  priorities: readonly string[],
): Readonly<Record<Column, readonly Card[]>> {
  const columns = Object.fromEntries(COLUMNS.map((column) => [column, [] as Card[]])) as Record<Column, Card[]>;
  for (const card of cards) if (matchesFilter(place, card)) columns[card.column].push(card);
  const getPriorityRank = ({ priority }: Card) => {
    const at = priorities.indexOf(priority ?? "");
    return at === -1 ? priorities.length : at;
  };
  const compareIds = (a: Card, b: Card) => (a.id < b.id ? -1 : 1);
  for (const column of COLUMNS) {
    columns[column].sort((a, b) =>
      column === "done"
        ? compareIds(b, a)
        : getPriorityRank(a) - getPriorityRank(b) || compareDueDates(a, b) || compareIds(a, b),
    );
  }
  return columns;
}

function compareDueDates(a: Card, b: Card): number {
  const [left, right] = [a.due ?? "~", b.due ?? "~"];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** State of the board's URL: the view, the open spec and the filter. Every part may be empty. */
export interface BoardAddress {
  /** `picture` for the dependency picture, otherwise the columns. */
  readonly view: string;
  readonly spec: string;
  readonly text: string;
  readonly label: string;
  readonly assignee: string;
  readonly agent: string;
}

const ADDRESS_PARTS = ["view", "spec", "text", "label", "assignee", "agent"] as const;

export function readBoardAddress(): BoardAddress {
  const words = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(ADDRESS_PARTS.map((part) => [part, words.get(part) ?? ""])) as unknown as BoardAddress;
}

export function formatBoardUrl(place: BoardAddress): string {
  const words = new URLSearchParams(
    ADDRESS_PARTS.filter((part) => place[part] !== "").map((part) => [part, place[part]]),
  );
  return `#${words}`;
}

/** Navigates to a changed URL; changes of the filter replace the entry in the browser's history. */
export function changeBoardAddress(change: Partial<BoardAddress>): void {
  const before = readBoardAddress();
  const after = { ...before, ...change };
  if (change.spec === undefined && change.view === undefined) {
    history.replaceState(history.state, "", formatBoardUrl(after));
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = formatBoardUrl(after);
}

export function useBoardAddress(): BoardAddress {
  useUrlHash();
  return readBoardAddress();
}

/** Whether a card matches the filter: every word of the text is in its id, title or labels. */
export function matchesFilter({ text, label, assignee, agent }: BoardAddress, card: Card): boolean {
  if (label !== "" && !card.labels.includes(label)) return false;
  if (assignee !== "" && card.assignee !== assignee) return false;
  if (agent !== "" && card.agent?.name !== agent) return false;
  if (text === "") return true;
  const all = `${card.id} ${card.title ?? ""} ${card.labels.join(" ")}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Direction of an arrow key; one of the two components is 0. */
interface ArrowStep {
  readonly across: -1 | 0 | 1;
  readonly along: -1 | 0 | 1;
}

type CardsByColumn = Readonly<Record<Column, readonly Card[]>>;

/** Returns the next card in a step's direction and skips empty columns; the first card if none is chosen. */
export function findCardBeside(columns: CardsByColumn, chosen: Card | undefined, step: ArrowStep): Card | undefined {
  if (chosen === undefined)
    return columns.ready[0] ?? COLUMNS.map((column) => columns[column][0]).find((card) => card !== undefined);
  return step.across === 0
    ? findCardInSameColumn(columns, chosen, step.along)
    : findCardInNextColumn(columns, chosen, step.across);
}

function findCardInSameColumn(columns: CardsByColumn, chosen: Card, step: number): Card | undefined {
  const cards = columns[chosen.column];
  return cards[cards.findIndex(({ id }) => id === chosen.id) + step];
}

function findCardInNextColumn(columns: CardsByColumn, chosen: Card, step: number): Card | undefined {
  const row = columns[chosen.column].findIndex(({ id }) => id === chosen.id);
  for (let at = COLUMNS.indexOf(chosen.column) + step; at >= 0 && at < COLUMNS.length; at += step) {
    const cards = columns[COLUMNS[at] as Column];
    if (cards.length > 0) return cards[Math.min(Math.max(row, 0), cards.length - 1)];
  }
  return undefined;
}

/**
 * Returns the next box for an arrow key. Up and down choose the box above or below. Left chooses the nearest box that
 * the chosen one waits for; right chooses the nearest box that waits for the chosen one. Without one, left and
 * right choose the nearest box on that side. Cost: O(boxes + edges).
 */
export function findBoxBeside(
  picture: BoardPicture,
  chosen: string | undefined,
  step: ArrowStep,
): PictureBox | undefined {
  const { boxes, edges, critical_path } = picture;
  const at = boxes.findIndex(({ id }) => id === chosen);
  const from = boxes[at];
  if (from === undefined) return boxes.find(({ id }) => id === critical_path[0]) ?? boxes[0];
  if (step.across === 0) {
    return findNearestBox(from, (box) => (box.x === from.x ? (box.y - from.y) * step.along : 0), boxes);
  }
  const [here, there] = step.across === 1 ? (["from", "to"] as const) : (["to", "from"] as const);
  const joined = edges
    .filter((edge) => edge[here] === at && !edge.backward)
    .flatMap((edge) => boxes[edge[there]] ?? []);
  const computeDistanceAhead = (box: PictureBox) => (box.x - from.x) * step.across;
  return findNearestBox(from, computeDistanceAhead, joined) ?? findNearestBox(from, computeDistanceAhead, boxes);
}

/** Returns the nearest box ahead in a direction, by the distance ahead first, then by the vertical offset. */
function findNearestBox(
  from: PictureBox,
  computeDistanceAhead: (box: PictureBox) => number,
  boxes: readonly PictureBox[],
): PictureBox | undefined {
  let best: PictureBox | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const box of boxes) {
    const way = computeDistanceAhead(box);
    // The factor exceeds the height of any picture, so that the distance ahead decides first.
    const length = way * 1e7 + Math.abs(box.y - from.y);
    if (way > 0 && length < least) [best, least] = [box, length];
  }
  return best;
}

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
