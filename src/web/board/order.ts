import { type Card, COLUMNS, type Column } from "#planner/board/wire.ts";
import { type BoardAddress, matchesFilter } from "./place.ts";

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
