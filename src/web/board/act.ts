import type { Card, Column } from "#planner/board/wire.ts";
import { carryOut, RequestError, type Seen } from "./api.ts";
import { moveOf } from "./moves.ts";
import { store, tell } from "./store.ts";

/** The last change that can be taken back, for the key U. */
let lastUndo: (() => void) | undefined;

export function undoLast(): void {
  if (lastUndo === undefined) tell({ tone: "fault", text: "There is nothing to take back" });
  else lastUndo();
}

/** What the page shows of the board now. */
function seenNow(): Seen {
  return { revision: store.view.data?.revision ?? 0 };
}

/** Carries out a command and says what came of it; returns whether it succeeded. */
export async function act(
  tool: string,
  args: object,
  { seen = seenNow(), undo = null }: { readonly seen?: Seen; readonly undo?: object | null } = {},
): Promise<boolean> {
  tell(undefined);
  try {
    const { text } = await carryOut(tool, args, seen);
    const takeBack = undo === null ? undefined : () => void act("update", undo);
    lastUndo = takeBack;
    tell({ tone: "ok", text: sentence(tool, text), undo: takeBack });
    return true;
  } catch (error) {
    tell({ tone: "fault", text: error instanceof RequestError ? error.message : String(error) });
    return false;
  }
}

/** Answers without a sentence are JSON. */
function sentence(tool: string, text: string): string {
  return text.startsWith("{") ? (SENTENCES[tool] ?? "Done") : text;
}

const SENTENCES: Readonly<Record<string, string>> = {
  work: "An agent was started",
  takeover: "The agent was stopped: continue by hand in the worktree",
};

/** Moves a card, or says why that cannot be. `work` opens the choice of an agent. */
export function moveCard(card: Card, to: Column, work: (card: Card) => void): void {
  const move = moveOf(card, to);
  if (move === null) return;
  if (move.kind === "no") tell({ tone: "fault", text: move.why });
  else if (move.kind === "work") work(card);
  else void act(move.tool, move.args, { undo: move.undo });
}
