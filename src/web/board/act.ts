import type { Card, Column } from "#planner/board/wire.ts";
import { callTool, describeError, type SeenVersion } from "./api.ts";
import { planCardMove } from "./moves.ts";
import { boardStore, showMessage } from "./store.ts";

/** Undoes the last command, for the key U; undefined if that command cannot be undone. */
let lastUndo: (() => void) | undefined;

export function undoLastChange(): void {
  if (lastUndo === undefined) showMessage({ tone: "fault", text: "There is nothing to take back" });
  else lastUndo();
}

/** Returns the board's revision that the page shows, so that the server can detect conflicts. */
function getSeenRevision(): SeenVersion {
  return { revision: boardStore.view.data?.revision ?? 0 };
}

/** Runs a command and shows its result as a message. Returns whether it succeeded. */
export async function runCommand(
  tool: string,
  args: object,
  { seen = getSeenRevision(), undo = null }: { readonly seen?: SeenVersion; readonly undo?: object | null } = {},
): Promise<boolean> {
  showMessage(undefined);
  try {
    const { text } = await callTool(tool, args, seen);
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
