const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Returns the target of an arrow key: the nearest element in its direction, preferably straight ahead. */
export function nearest<Shape extends Element>(from: Shape, among: readonly Shape[], key: string): Shape | undefined {
  const direction = DIRECTIONS[key];
  if (direction === undefined) return undefined;
  const start = middle(from);
  let best: { readonly shape: Shape; readonly distance: number } | undefined;
  for (const shape of among) {
    if (shape === from || shape.contains(from) || from.contains(shape)) continue;
    const end = middle(shape);
    const [x, y] = [end.x - start.x, end.y - start.y];
    const ahead = x * direction[0] + y * direction[1];
    const aside = Math.abs(x * direction[1] + y * direction[0]);
    if (ahead < 1) continue;
    const distance = ahead + 2 * aside;
    if (best === undefined || distance < best.distance) best = { shape, distance };
  }
  return best?.shape;
}

function middle(shape: Element): { readonly x: number; readonly y: number } {
  const { left, top, width, height } = shape.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}
