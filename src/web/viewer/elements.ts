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

/** Tooltip text of each element of a picture. */
export type ElementTips = ReadonlyMap<Element, string>;

/**
 * Removes the titles from a drawing and returns them as tips, because the browser would show them late and over the
 * viewer's tooltips. Screen readers get them as labels.
 */
export function extractTips(svg: SVGSVGElement): ElementTips {
  const tips = new Map<Element, string>();
  const whole = findTitleElement(svg);
  if (whole !== undefined) {
    svg.setAttribute("aria-label", whole.textContent ?? "");
    whole.remove();
  }
  for (const group of svg.querySelectorAll("g")) {
    const title = findTitleElement(group);
    if (title === undefined) continue;
    const text = title.textContent ?? "";
    tips.set(group, text);
    // Only an element with a role may have a label, and a group that contains links is no image.
    if (!group.hasAttribute("role") && group.querySelector("[role]") === null) {
      group.setAttribute("role", "img");
      group.setAttribute("aria-label", text.replaceAll("\n", ", "));
    }
    title.remove();
  }
  return tips;
}

function findTitleElement(element: Element): Element | undefined {
  const [first] = element.children;
  return first?.localName === "title" ? first : undefined;
}

/** Returns the tip of the innermost element that has a tip and contains an event's target. */
export function findTipAt(tips: ElementTips, target: EventTarget | null): string | undefined {
  for (let at = target as Element | null; at !== null; at = at.parentElement) {
    const tip = tips.get(at);
    if (tip !== undefined) return tip;
  }
  return undefined;
}

const TIP_DISTANCE_PX = 14;

/** Shows a tip next to a point, inside the window; hides the box if there is no text. */
export function showTip(box: HTMLElement, text: string | undefined, clientX: number, clientY: number): void {
  box.hidden = text === undefined;
  if (text === undefined) return;
  box.textContent = text;
  const left = Math.min(clientX + TIP_DISTANCE_PX, innerWidth - box.offsetWidth - 4);
  const below = clientY + TIP_DISTANCE_PX;
  const top = below + box.offsetHeight > innerHeight ? clientY - box.offsetHeight - TIP_DISTANCE_PX : below;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/** Details of an element: its title, facts and related elements. */
export interface ElementDetails {
  readonly ref: string;
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** References of connected elements. */
  readonly related: readonly string[];
}

/** Parses the details of an element from its tip: the first line is the title, each further line a fact. */
export function parseElementTip(ref: string, tip: string): ElementDetails {
  const [title = ref, ...lines] = tip.split("\n");
  const facts = lines.map((line) => {
    const [, label = "", value = line] = /^([^:]{1,40}): (.*)$/s.exec(line) ?? [];
    return { label, value };
  });
  return { ref, title, facts, related: [] };
}

/** Draws details into a box. Names are set as text, so that they cannot inject markup. */
export function showDetails(
  box: HTMLElement,
  { ref, title, facts, related }: ElementDetails,
  { chooseElement, close }: { readonly chooseElement: (ref: string) => void; readonly close: () => void },
): void {
  const list = createHtmlElement("dl");
  for (const { label, value } of facts) list.append(createHtmlElement("dt", label), createHtmlElement("dd", value));
  const near = createHtmlElement("ul");
  for (const other of related) {
    const item = createHtmlElement("li");
    item.append(createTextButton(other.replace(/^[a-z_]+:/, ""), () => chooseElement(other)));
    near.append(item);
  }
  const shut = createTextButton("×", close);
  shut.setAttribute("aria-label", "Close the details");
  box.replaceChildren(shut, createHtmlElement("strong", title), createHtmlElement("p", ref), list, near);
  box.hidden = false;
}

export function createHtmlElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = "",
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

export function createTextButton(text: string, act: () => void): HTMLButtonElement {
  const element = createHtmlElement("button", text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

interface ElementSearchOptions {
  /** Scrolls an element into view and marks it; undefined removes the mark. */
  readonly showDrawing: (element: SVGGElement | undefined) => void;
  /** Shows the details of an element. */
  readonly openElement: (element: SVGGElement) => void;
  /** Returns further searchable text of an element, such as its recorded facts. */
  readonly getSearchText: (ref: string) => string;
}

/** Searches the picture's elements by name, reference and tip. Enter opens a match, then moves to the next one. */
export class ElementSearch {
  readonly field = document.createElement("input");
  readonly count = document.createElement("output");
  readonly #options: ElementSearchOptions;
  #elements: readonly { readonly element: SVGGElement; readonly text: string }[] = [];
  #hits: readonly SVGGElement[] = [];
  #hitIndex = -1;
  /** Whether Enter has opened the details of the current match; the next Enter moves to the next match. */
  #isOpened = false;

  constructor(options: ElementSearchOptions) {
    this.#options = options;
    this.field.type = "search";
    this.field.placeholder = "Find in picture";
    this.field.setAttribute("aria-label", "Find in picture");
    this.field.autocomplete = "off";
    this.field.addEventListener("input", () => this.#search());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#openHit(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.#clearField();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Searches another drawing; the search text stays. */
  setDrawing(svg: SVGSVGElement, tips: ElementTips): void {
    const seen = new Set<string>();
    this.#elements = listDrawnElements(svg).flatMap((element) => {
      const ref = getElementRef(element);
      if (seen.has(ref)) return [];
      seen.add(ref);
      const words = [...element.querySelectorAll("text")].map(({ textContent }) => textContent);
      const text = [ref, ...words, tips.get(element) ?? "", this.#options.getSearchText(ref)].join(" ").toLowerCase();
      return [{ element, text }];
    });
    if (this.field.value !== "") this.#updateHits();
  }

  #clearField(): void {
    this.field.value = "";
    this.#search();
  }

  #search(): void {
    this.#updateHits();
    this.#hitIndex = -1;
    this.#moveToHit(1);
  }

  #updateHits(): void {
    const words = this.field.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const isHit = ({ text }: { readonly text: string }) => words.every((word) => text.includes(word));
    this.#hits = words.length === 0 ? [] : this.#elements.filter(isHit).map(({ element }) => element);
    this.#showCount();
  }

  #moveToHit(by: number): void {
    const { length } = this.#hits;
    this.#hitIndex = length === 0 ? -1 : (this.#hitIndex + by + length) % length;
    this.#isOpened = false;
    this.#options.showDrawing(this.#hits[this.#hitIndex]);
    this.#showCount();
  }

  #openHit(by: number): void {
    if (this.#isOpened) this.#moveToHit(by);
    const hit = this.#hits[this.#hitIndex];
    if (hit === undefined) return;
    this.#isOpened = true;
    this.#options.openElement(hit);
  }

  #showCount(): void {
    const { length } = this.#hits;
    const none = this.field.value.trim() === "" ? "" : "nothing";
    this.count.textContent = length === 0 ? none : `${Math.max(1, this.#hitIndex + 1)} of ${length}`;
  }
}

/** Returns a box with the search field and the number of matches. */
export function createSearchBox({ field, count }: ElementSearch): HTMLElement {
  const box = createHtmlElement("span");
  box.className = "find";
  box.append(field, count);
  return box;
}
