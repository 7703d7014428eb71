import type { Rectangle } from "#dc/model/rack_space.ts";
import { computeTextBox, type Item, type Scene, type Text } from "#dc/render/scene.ts";

interface PlacedText {
  readonly text: string;
  readonly box: Rectangle;
}

/** Half a pixel is no overlap that anybody sees. */
const SLACK = 0.5;

/** Every text of a scene with the box that it takes, in the scene's own pixels. */
export function textsOf(items: readonly Item[], dx = 0, dy = 0): readonly PlacedText[] {
  return items.flatMap((item): readonly PlacedText[] => {
    if (item.kind === "group") return textsOf(item.items, dx + (item.at?.[0] ?? 0), dy + (item.at?.[1] ?? 0));
    return item.kind === "text" && computeTextBox(item).east > computeTextBox(item).west ? [placed(item, dx, dy)] : [];
  });
}

function placed(text: Text, dx: number, dy: number): PlacedText {
  const { west, north, east, south } = computeTextBox(text);
  return { text: text.text, box: { west: west + dx, north: north + dy, east: east + dx, south: south + dy } };
}

/** Texts that leave the picture. */
export function cutTexts({ items, width, height }: Scene): readonly string[] {
  return textsOf(items)
    .filter(
      ({ box }) => box.west < -SLACK || box.north < -SLACK || box.east > width + SLACK || box.south > height + SLACK,
    )
    .map(({ text }) => text);
}

/** Pairs of texts that lie over one another. */
export function overlappingTexts({ items }: Scene): readonly (readonly [string, string])[] {
  const texts = textsOf(items);
  return texts.flatMap((one, index) =>
    texts
      .slice(index + 1)
      .filter(({ box }) => overlap(one.box, box))
      .map((other) => [one.text, other.text] as const),
  );
}

function overlap(a: Rectangle, b: Rectangle): boolean {
  return a.west + SLACK < b.east && b.west + SLACK < a.east && a.north + SLACK < b.south && b.north + SLACK < a.south;
}
