import { type BoardPicture, type Card, COLUMNS, type Column, type PictureBox } from "#planner/board/wire.ts";

/** Direction of an arrow key; one of the two components is 0. */
export interface ArrowStep {
  readonly across: -1 | 0 | 1;
  readonly along: -1 | 0 | 1;
}

type CardsByColumn = Readonly<Record<Column, readonly Card[]>>;

/** Returns the next card in a step's direction and skips empty columns; the first card if none is chosen. */
export function findCardBeside(columns: CardsByColumn, chosen: Card | undefined, step: ArrowStep): Card | undefined {
  if (chosen === undefined) return findFirstCard(columns);
  return step.across === 0
    ? findCardInSameColumn(columns, chosen, step.along)
    : findCardInNextColumn(columns, chosen, step.across);
}

function findFirstCard(columns: CardsByColumn): Card | undefined {
  return columns.ready[0] ?? COLUMNS.map((column) => columns[column][0]).find((card) => card !== undefined);
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
