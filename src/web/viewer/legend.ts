import { listDrawnElements } from "./elements.ts";

/**
 * Turns entries of the legend into toggle buttons that highlight only matching elements. An element matches an entry if
 * one of its shapes has the fill of the sample, or the stroke if the sample is a line. Entries that match no element
 * stay plain.
 *
 * @param onChange called with the numbers of matching and of all elements, or undefined while no entry is chosen
 */
export function enableLegendFilter(
  svg: SVGSVGElement,
  onChange: (left: { readonly shown: number; readonly all: number } | undefined) => void,
): void {
  const elements = listDrawnElements(svg).map((element) => ({ element, looks: collectColors(element) }));
  const chosen = new Set<string>();
  const updateElements = () => {
    let shown = 0;
    for (const { element, looks } of elements) {
      const isLeft = chosen.size === 0 || [...chosen].some((look) => looks.has(look));
      const holdsOne = element.querySelector("g[data-ref]") !== null;
      element.classList.toggle("back", !isLeft && !holdsOne);
      if (isLeft) shown += 1;
    }
    onChange(chosen.size === 0 ? undefined : { shown, all: elements.length });
  };
  for (const entry of svg.querySelectorAll<SVGGElement>('[data-part="legend"]')) {
    const [look] = collectColors(entry);
    if (look === undefined || !elements.some(({ looks }) => looks.has(look))) continue;
    const toggleEntry = () => {
      if (!chosen.delete(look)) chosen.add(look);
      entry.setAttribute("aria-pressed", String(chosen.has(look)));
      updateElements();
    };
    entry.setAttribute("role", "button");
    entry.setAttribute("tabindex", "0");
    entry.setAttribute("aria-pressed", "false");
    entry.setAttribute("aria-label", `Only ${entry.querySelector(":scope > text")?.textContent ?? ""}`);
    entry.addEventListener("click", toggleEntry);
    entry.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggleEntry();
    });
  }
}

const SHAPE_SELECTOR = "rect, path, circle, line";

/** Returns the colours of an element's own shapes, not of nested elements. The first colour identifies a sample. */
function collectColors(group: SVGGElement): ReadonlySet<string> {
  const own = [...group.querySelectorAll(SHAPE_SELECTOR)].filter((shape) => {
    const holder = shape.closest("g[data-ref], [data-part]");
    return holder === group;
  });
  return new Set(own.map(getShapeColor));
}

function getShapeColor(shape: Element): string {
  const fill = shape.getAttribute("fill") ?? "none";
  if (fill !== "none") return fill;
  return `${shape.getAttribute("stroke")} ${shape.getAttribute("stroke-dasharray") ?? ""}`;
}
