import { useEffect, useState } from "preact/hooks";
import type { Card } from "#planner/board/wire.ts";

/** What the address says: the view, the spec that is open, and the filter. Every part may be empty. */
export interface Place {
  /** `picture` for the dependencies, else the columns. */
  readonly view: string;
  readonly spec: string;
  readonly text: string;
  readonly label: string;
  readonly assignee: string;
  readonly agent: string;
}

const PARTS = ["view", "spec", "text", "label", "assignee", "agent"] as const;

export function readPlace(): Place {
  const words = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(PARTS.map((part) => [part, words.get(part) ?? ""])) as unknown as Place;
}

export function addressOf(place: Place): string {
  const words = new URLSearchParams(PARTS.filter((part) => place[part] !== "").map((part) => [part, place[part]]));
  return `#${words}`;
}

/** Goes to a place; a filter that is typed adds no entry to the browser's history. */
export function goTo(change: Partial<Place>): void {
  const before = readPlace();
  const after = { ...before, ...change };
  if (change.spec === undefined && change.view === undefined) {
    history.replaceState(history.state, "", addressOf(after));
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = addressOf(after);
}

export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const follow = () => setPlace(readPlace());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}

/** Whether a card meets the filter: every word of the text is in its id, title or labels. */
export function meetsFilter({ text, label, assignee, agent }: Place, card: Card): boolean {
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
