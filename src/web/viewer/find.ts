import { createHtmlElement } from "./details.ts";
import { getElementRef, listDrawnElements } from "./elements.ts";
import type { ElementTips } from "./tips.ts";

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
