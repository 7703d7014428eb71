/** What a picture says about its elements, by element. */
export type Tips = ReadonlyMap<Element, string>;

/**
 * Takes the titles out of a drawing: the browser would show them late, and over ours. Readers of the screen get them as
 * labels.
 */
export function takeTips(svg: SVGSVGElement): Tips {
  const tips = new Map<Element, string>();
  const whole = titleOf(svg);
  if (whole !== undefined) {
    svg.setAttribute("aria-label", whole.textContent ?? "");
    whole.remove();
  }
  for (const group of svg.querySelectorAll("g")) {
    const title = titleOf(group);
    if (title === undefined) continue;
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

function titleOf(element: Element): Element | undefined {
  const [first] = element.children;
  return first?.localName === "title" ? first : undefined;
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
