import { useRef } from "preact/hooks";

/** What a picture says about its elements, by element. */
export type Tips = ReadonlyMap<Element, string>;

/**
 * Takes the titles out of a drawing: the browser would show them late, and over ours. Readers of the screen get them as
 * labels.
 */
export function takeTips(svg: SVGSVGElement): Tips {
  const tips = new Map<Element, string>();
  for (const group of svg.querySelectorAll("g")) {
    const title = group.firstElementChild;
    if (title?.localName !== "title") continue;
    const text = title.textContent ?? "";
    tips.set(group, text);
    // Only what has a role may have a label; a group that holds links is no picture.
    if (!group.hasAttribute("role") && group.querySelector("[role]") === null) {
      group.setAttribute("role", "img");
      group.setAttribute("aria-label", text.replaceAll("\n", ", "));
    }
    title.remove();
  }
  return tips;
}

/** What is said about the element at a place of the drawing, or about what holds it. */
export function tipAt(tips: Tips, target: EventTarget | null): string | undefined {
  for (let at = target as Element | null; at !== null; at = at.parentElement) {
    const tip = tips.get(at);
    if (tip !== undefined) return tip;
  }
  return undefined;
}

const BESIDE_PX = 14;

/** Shows a tip beside a point, within the window. */
export function placeTip(box: HTMLElement, text: string | undefined, clientX: number, clientY: number): void {
  box.hidden = text === undefined;
  if (text === undefined) return;
  box.textContent = text;
  const left = Math.min(clientX + BESIDE_PX, innerWidth - box.offsetWidth - 4);
  const below = clientY + BESIDE_PX;
  const top = below + box.offsetHeight > innerHeight ? clientY - box.offsetHeight - BESIDE_PX : below;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/** Says what the pointer or the focus is on, without drawing the page anew. */
export function useTips(tips: { readonly current: Tips }, readout: boolean) {
  const tipBox = useRef<HTMLDivElement>(null);
  const readLine = useRef<HTMLOutputElement>(null);
  const shown = (event: PointerEvent | FocusEvent) => {
    const left = event.type === "pointerleave";
    const text = left ? undefined : tipAt(tips.current, event.target);
    if (readout) {
      if (readLine.current !== null && text !== undefined) readLine.current.textContent = text.replaceAll("\n", " · ");
      return;
    }
    if (tipBox.current === null || !("clientX" in event)) return;
    placeTip(tipBox.current, event.buttons > 0 ? undefined : text, event.clientX, event.clientY);
  };
  return { shown, tipBox, readLine };
}
