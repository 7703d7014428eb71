import { computeItemsBounds } from "./bounds.ts";
import { createRect, type Group, type Item } from "./scene.ts";

/** Opacity of de-emphasized elements; their text keeps a contrast of 3 to 1. */
export const FAINT_OPACITY = 0.72;

/** Pixels between a highlighted element and its frame. */
const FRAME_GAP = 2;

/**
 * Highlights the elements of `refs` and fades other elements. References are compared without regard to case.
 * Items without a reference, such as titles and legends, are not changed.
 */
export function emphasizeElements(items: readonly Item[], refs: ReadonlySet<string>): readonly Item[] {
  if (refs.size === 0) return items;
  const keys = new Set([...refs].map((ref) => ref.toLowerCase()));
  return items.map((item) => emphasizeItem(item, keys));
}

function emphasizeItem(item: Item, keys: ReadonlySet<string>): Item {
  if (item.kind !== "group") return item;
  if (item.ref !== undefined && keys.has(item.ref.toLowerCase())) return highlightGroup(item);
  const items = item.items.map((inner) => emphasizeItem(inner, keys));
  if (item.ref === undefined || item.items.some((inner) => containsElement(inner, keys))) return { ...item, items };
  return { ...item, emphasis: "faint" };
}

function containsElement(item: Item, keys: ReadonlySet<string>): boolean {
  if (item.kind !== "group") return false;
  return (
    (item.ref !== undefined && keys.has(item.ref.toLowerCase())) ||
    item.items.some((inner) => containsElement(inner, keys))
  );
}

/** Widens a group of lines, such as a cable. Draws a frame around any other group. */
function highlightGroup(group: Group): Group {
  const bare = group.items.every(({ kind }) => kind === "line" || kind === "path");
  if (bare) return { ...group, emphasis: "strong", items: group.items.map(widenLine) };
  const box = computeItemsBounds(group.items);
  if (box === undefined) return group;
  const frame = createRect(
    [box.west - FRAME_GAP, box.north - FRAME_GAP],
    [box.east - box.west + 2 * FRAME_GAP, box.south - box.north + 2 * FRAME_GAP],
    { radius: 3 },
  );
  // A casing in the background colour on both sides makes the frame visible beside any colour.
  const casing: Item = { ...frame, stroke: "panel", strokeWidth: 6 };
  const line: Item = { ...frame, stroke: "accent", strokeWidth: 3 };
  return { ...group, emphasis: "strong", items: [...group.items, casing, line] };
}

function widenLine(item: Item): Item {
  if (item.kind !== "line" && item.kind !== "path") return item;
  return { ...item, stroke: "accent", strokeWidth: (item.strokeWidth ?? 1) + 2 };
}
