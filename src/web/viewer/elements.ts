const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Returns the target of an arrow key: the nearest element in its direction, preferably straight ahead. */
function nearest<Shape extends Element>(from: Shape, among: readonly Shape[], key: string): Shape | undefined {
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

/** The groups of a drawing that show an element of the inventory. */
export function elementsIn(root: Element): SVGGElement[] {
  return [...root.querySelectorAll<SVGGElement>("g[data-ref]")];
}

export function refOf(element: Element): string {
  return (element as SVGGElement).dataset["ref"] ?? "";
}

/** The element of a drawing that a target belongs to. */
export function elementAt(target: EventTarget | null): SVGGElement | undefined {
  return (target as Element | null)?.closest<SVGGElement>("g[data-ref]") ?? undefined;
}

/** Elements become links or buttons for the keyboard; one of them at a time is in the Tab order. */
export function makeReachable(svg: SVGSVGElement, leads: (ref: string) => boolean): void {
  svg.setAttribute("role", "group");
  for (const [index, element] of elementsIn(svg).entries()) {
    // A button may hold nothing that is reached by itself.
    const other = element.querySelector("g[data-ref]") === null ? "button" : "group";
    element.setAttribute("role", leads(refOf(element)) ? "link" : other);
    element.setAttribute("tabindex", index === 0 ? "0" : "-1");
    element.setAttribute("aria-label", nameOf(element));
  }
}

/** Accessible name of an element: its visible text, followed by its facts. */
function nameOf(element: SVGGElement): string {
  const written = [...element.querySelectorAll("text")].map(({ textContent }) => textContent);
  const more = element.querySelector("title")?.textContent ?? refOf(element).replace(/^[a-z_]+:/, "");
  return [...written, more].join(" ").replaceAll("\n", ", ");
}

/** The element of the frame that has the focus. */
export function focusedRef(frame: HTMLElement): string | undefined {
  const { activeElement } = document;
  if (activeElement === null || !frame.contains(activeElement)) return undefined;
  const element = elementAt(activeElement);
  return element === undefined ? undefined : refOf(element);
}

/** Gives the focus back to the element that had it in the drawing before. */
export function refocus(svg: SVGSVGElement, ref: string): void {
  const again = elementsIn(svg).find((element) => refOf(element) === ref);
  if (again !== undefined) moveFocus(svg, again);
}

function moveFocus(svg: SVGSVGElement, to: SVGGElement): void {
  for (const held of svg.querySelectorAll('g[data-ref][tabindex="0"]')) held.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus({ preventScroll: true });
}

/** Moves the focus by an arrow key to the nearest element. @returns whether the key had a meaning */
export function stepFocus(current: SVGGElement, key: string): boolean {
  const svg = current.ownerSVGElement;
  if (svg === null) return false;
  const next = nearest(current, elementsIn(svg), key);
  if (next === undefined) return false;
  moveFocus(svg, next);
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
  return true;
}
