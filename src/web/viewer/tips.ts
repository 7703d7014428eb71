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
