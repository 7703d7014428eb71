import { make } from "./details.ts";
import { elementsIn, refOf } from "./elements.ts";
import type { Tips } from "./tips.ts";

interface FindOptions {
  /** Brings an element into view and marks it; none while nothing is looked for. */
  readonly show: (element: SVGGElement | undefined) => void;
  /** Shows the facts about an element. */
  readonly open: (element: SVGGElement) => void;
  /** More words about an element, such as its recorded facts. */
  readonly wordsOf: (ref: string) => string;
}

/** Finds elements of the picture by their names, references and tips. Enter moves to the next match. */
export class Find {
  readonly field = document.createElement("input");
  readonly count = document.createElement("output");
  readonly #options: FindOptions;
  #elements: readonly { readonly element: SVGGElement; readonly text: string }[] = [];
  #hits: readonly SVGGElement[] = [];
  #at = -1;
  /** Whether Enter has shown the details of the hit; the next Enter moves to the next hit. */
  #isOpened = false;

  constructor(options: FindOptions) {
    this.#options = options;
    this.field.type = "search";
    this.field.placeholder = "Find in picture";
    this.field.setAttribute("aria-label", "Find in picture");
    this.field.autocomplete = "off";
    this.field.addEventListener("input", () => this.#look());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#open(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.#clear();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Takes another drawing; what is looked for stays. */
  take(svg: SVGSVGElement, tips: Tips): void {
    const seen = new Set<string>();
    this.#elements = elementsIn(svg).flatMap((element) => {
      const ref = refOf(element);
      if (seen.has(ref)) return [];
      seen.add(ref);
      const words = [...element.querySelectorAll("text")].map(({ textContent }) => textContent);
      const text = [ref, ...words, tips.get(element) ?? "", this.#options.wordsOf(ref)].join(" ").toLowerCase();
      return [{ element, text }];
    });
    if (this.field.value !== "") this.#match();
  }

  #clear(): void {
    this.field.value = "";
    this.#look();
  }

  #look(): void {
    this.#match();
    this.#at = -1;
    this.#step(1);
  }

  #match(): void {
    const words = this.field.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const isHit = ({ text }: { readonly text: string }) => words.every((word) => text.includes(word));
    this.#hits = words.length === 0 ? [] : this.#elements.filter(isHit).map(({ element }) => element);
    this.#tell();
  }

  #step(by: number): void {
    const { length } = this.#hits;
    this.#at = length === 0 ? -1 : (this.#at + by + length) % length;
    this.#isOpened = false;
    this.#options.show(this.#hits[this.#at]);
    this.#tell();
  }

  #open(by: number): void {
    if (this.#isOpened) this.#step(by);
    const hit = this.#hits[this.#at];
    if (hit === undefined) return;
    this.#isOpened = true;
    this.#options.open(hit);
  }

  #tell(): void {
    const { length } = this.#hits;
    const none = this.field.value.trim() === "" ? "" : "nothing";
    this.count.textContent = length === 0 ? none : `${Math.max(1, this.#at + 1)} of ${length}`;
  }
}

/** The field with its count. */
export function findBox({ field, count }: Find): HTMLElement {
  const box = make("span");
  box.className = "find";
  box.append(field, count);
  return box;
}
