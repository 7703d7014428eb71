import type { Card, Column } from "#planner/board/wire.ts";

/** What moving a card to a column does. */
export type Move =
  | { readonly kind: "command"; readonly tool: string; readonly args: object; readonly undo: object | null }
  /** The person chooses an agent first. */
  | { readonly kind: "work" }
  | { readonly kind: "no"; readonly why: string };

/** Statuses that a person may set back. Source: docs/contract/spec-tool.md#tools. */
const SETTABLE: readonly string[] = ["pending", "in_progress", "completed", "failed"];

/** Returns what a move of the card does; null within its column. */
export function moveOf(card: Card, to: Column): Move | null {
  if (card.column === to) return null;
  if (card.agent !== null) return no("An agent works on it: pause it first");
  switch (to) {
    case "blocked":
      return no("A spec is blocked by what it waits for: name that under Edit");
    case "needs_you":
      return no("A spec comes here by itself, when a run ends and a person has to decide");
    case "ready":
      return toReady(card);
    case "working":
      return toWorking(card);
    case "done":
      return isUnmerged(card)
        ? command("accept", { id: card.id }, null)
        : command("finalize", { id: card.id }, undoMove(card));
  }
}

function toReady(card: Card): Move {
  const { id, status } = card;
  if (status === "blocked" && card.waits_for.length > 0) {
    return no(`It waits for ${card.waits_for.join(", ")}: change that under Edit`);
  }
  if (status === "pending") return no(card.note ?? "It waits for other specs");
  const isOpen = ["failed", "needs_attention", "in_progress"].includes(status);
  return isOpen
    ? command("reset", { id }, undoMove(card))
    : command("update", { id, status: "pending" }, undoMove(card));
}

function toWorking(card: Card): Move {
  if (card.column === "done") return no("It is done: move it to Ready first");
  if (isUnmerged(card)) return no("Its work is finished: accept it, or move it to Ready");
  if (card.column === "blocked") return no(card.note ?? `It waits for ${card.waits_for.join(", ")}`);
  return { kind: "work" };
}

/** Whether its finished work waits for a merge. */
export function isUnmerged({ need }: Card): boolean {
  return need === "finished";
}

/** Arguments that set the earlier status again; null if no person can set that status. */
function undoMove({ id, status }: Card): object | null {
  return SETTABLE.includes(status) ? { id, status } : null;
}

function command(tool: string, args: object, undo: object | null): Move {
  return { kind: "command", tool, args, undo };
}

function no(why: string): Move {
  return { kind: "no", why };
}
