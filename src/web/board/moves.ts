import type { Card, Column } from "#planner/board/wire.ts";

/** Effect of moving a card to a column. */
export type CardMove =
  | { readonly kind: "command"; readonly tool: string; readonly args: object; readonly undo: object | null }
  /** Opens the dialog that chooses an agent. */
  | { readonly kind: "work" }
  | { readonly kind: "no"; readonly why: string };

/** Statuses that a person may set again to undo a move. Source: docs/contract/spec-tool.md#tools. */
const SETTABLE_STATUSES: readonly string[] = ["pending", "in_progress", "completed", "failed"];

/** Returns the effect of moving a card to a column; null if it is already there. */
export function planCardMove(card: Card, to: Column): CardMove | null {
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
