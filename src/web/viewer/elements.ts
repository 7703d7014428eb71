const DIRECTIONS_BY_KEY: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Returns the target of an arrow key: the nearest element in its direction, preferably straight ahead. */
function findNearestElement<Shape extends Element>(
  from: Shape,
  among: readonly Shape[],
  key: string,
): Shape | undefined {
  const direction = DIRECTIONS_BY_KEY[key];
  if (direction === undefined) return undefined;
  const start = computeShapeCentre(from);
  let best: { readonly shape: Shape; readonly distance: number } | undefined;
  for (const shape of among) {
    if (shape === from || shape.contains(from) || from.contains(shape)) continue;
    const end = computeShapeCentre(shape);
    const [x, y] = [end.x - start.x, end.y - start.y];
    const ahead = x * direction[0] + y * direction[1];
    const aside = Math.abs(x * direction[1] + y * direction[0]);
    if (ahead < 1) continue;
    const distance = ahead + 2 * aside;
    if (best === undefined || distance < best.distance) best = { shape, distance };
  }
  return best?.shape;
}

function computeShapeCentre(shape: Element): { readonly x: number; readonly y: number } {
  const { left, top, width, height } = shape.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/** Returns the groups of a drawing that show an element of the inventory. */
export function listDrawnElements(root: Element): SVGGElement[] {
  return [...root.querySelectorAll<SVGGElement>("g[data-ref]")];
}

export function getElementRef(element: Element): string {
  return (element as SVGGElement).dataset["ref"] ?? "";
}

/** Returns the group of the element that contains an event's target. */
export function findElementAt(target: EventTarget | null): SVGGElement | undefined {
  return (target as Element | null)?.closest<SVGGElement>("g[data-ref]") ?? undefined;
}

/** Gives elements the role of a link, button or group. Tab reaches one element, arrow keys reach the others. */
export function makeElementsFocusable(svg: SVGSVGElement, isLink: (ref: string) => boolean): void {
  svg.setAttribute("role", "group");
  for (const [index, element] of listDrawnElements(svg).entries()) {
    // A button may not contain focusable elements, so such elements get another role.
    const other = element.querySelector("g[data-ref]") === null ? "button" : "group";
    element.setAttribute("role", isLink(getElementRef(element)) ? "link" : other);
    element.setAttribute("tabindex", index === 0 ? "0" : "-1");
    element.setAttribute("aria-label", buildAccessibleName(element));
  }
}

/** Returns the accessible name of an element: its visible text, followed by its facts. */
function buildAccessibleName(element: SVGGElement): string {
  const written = [...element.querySelectorAll("text")].map(({ textContent }) => textContent);
  const more = element.querySelector("title")?.textContent ?? getElementRef(element).replace(/^[a-z_]+:/, "");
  return [...written, more].join(" ").replaceAll("\n", ", ");
}

/** Returns the reference of the focused element in a frame; undefined without one. */
export function findFocusedRef(frame: HTMLElement): string | undefined {
  const { activeElement } = document;
  if (activeElement === null || !frame.contains(activeElement)) return undefined;
  const element = findElementAt(activeElement);
  return element === undefined ? undefined : getElementRef(element);
}

/** Focuses the element of a new drawing that has the reference of the formerly focused one. */
export function restoreFocus(svg: SVGSVGElement, ref: string): void {
  const again = listDrawnElements(svg).find((element) => getElementRef(element) === ref);
  if (again !== undefined) moveElementFocus(svg, again);
}

function moveElementFocus(svg: SVGSVGElement, to: SVGGElement): void {
  for (const held of svg.querySelectorAll('g[data-ref][tabindex="0"]')) held.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus({ preventScroll: true });
}

/** Moves the focus to the nearest element in an arrow key's direction. Returns whether the focus moved. */
export function moveFocusByKey(current: SVGGElement, key: string): boolean {
  const svg = current.ownerSVGElement;
  if (svg === null) return false;
  const next = findNearestElement(current, listDrawnElements(svg), key);
  if (next === undefined) return false;
  moveElementFocus(svg, next);
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
  return true;
}
