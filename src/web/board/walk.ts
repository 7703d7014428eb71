import { type BoardPicture, type Card, COLUMNS, type Column, type PictureBox } from "#planner/board/wire.ts";

/** Where an arrow key leads: one of the two is 0. */
export interface Step {
  readonly across: -1 | 0 | 1;
  readonly along: -1 | 0 | 1;
}

type Columns = Readonly<Record<Column, readonly Card[]>>;

/** Returns the next card of its column, or one of the next column that has any; without a chosen one the first. */
export function cardBeside(columns: Columns, chosen: Card | undefined, step: Step): Card | undefined {
  if (chosen === undefined) return firstCard(columns);
  return step.across === 0 ? cardBelow(columns, chosen, step.along) : neighbourCard(columns, chosen, step.across);
}

function firstCard(columns: Columns): Card | undefined {
  return columns.ready[0] ?? COLUMNS.map((column) => columns[column][0]).find((card) => card !== undefined);
}

function cardBelow(columns: Columns, chosen: Card, step: number): Card | undefined {
  const cards = columns[chosen.column];
  return cards[cards.findIndex(({ id }) => id === chosen.id) + step];
}

function neighbourCard(columns: Columns, chosen: Card, step: number): Card | undefined {
  const row = columns[chosen.column].findIndex(({ id }) => id === chosen.id);
  for (let at = COLUMNS.indexOf(chosen.column) + step; at >= 0 && at < COLUMNS.length; at += step) {
    const cards = columns[COLUMNS[at] as Column];
    if (cards.length > 0) return cards[Math.min(Math.max(row, 0), cards.length - 1)];
  }
  return undefined;
}

/**
 * Returns the box above or below, or the nearest of those that the chosen one waits for (left) or that wait for it (right);
 * without any the nearest box on that side. Cost: O(boxes + edges).
 */
export function boxBeside(picture: BoardPicture, chosen: string | undefined, step: Step): PictureBox | undefined {
  const { boxes, edges, critical_path } = picture;
  const at = boxes.findIndex(({ id }) => id === chosen);
  const from = boxes[at];
  if (from === undefined) return boxes.find(({ id }) => id === critical_path[0]) ?? boxes[0];
  if (step.across === 0) {
    return nearest(from, (box) => (box.x === from.x ? (box.y - from.y) * step.along : 0), boxes);
  }
  const [here, there] = step.across === 1 ? (["from", "to"] as const) : (["to", "from"] as const);
  const joined = edges
    .filter((edge) => edge[here] === at && !edge.backward)
    .flatMap((edge) => boxes[edge[there]] ?? []);
  const ahead = (box: PictureBox) => (box.x - from.x) * step.across;
  return nearest(from, ahead, joined) ?? nearest(from, ahead, boxes);
}

/** The box with the shortest way ahead, then beside it; boxes that are not ahead do not count. */
function nearest(
  from: PictureBox,
  ahead: (box: PictureBox) => number,
  boxes: readonly PictureBox[],
): PictureBox | undefined {
  let best: PictureBox | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const box of boxes) {
    const way = ahead(box);
    // No picture is as high as a step ahead counts.
    const length = way * 1e7 + Math.abs(box.y - from.y);
    if (way > 0 && length < least) [best, least] = [box, length];
  }
  return best;
}
