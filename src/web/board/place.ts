import type { Card } from "#planner/board/wire.ts";
import { useUrlHash } from "../shared/kept_values.ts";

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
