const ELEMENTS = new Set(
  [
    "svg",
    "g",
    "rect",
    "circle",
    "ellipse",
    "line",
    "path",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "title",
    "desc",
  ].concat(["defs", "pattern", "clipPath", "marker", "linearGradient", "stop"]),
);

/**
 * A drawing as elements of this page. The server escapes every name; this is the second lock: only shapes and texts
 * come in, without handlers, styles or references to the outside. Undefined for a text that is no SVG.
 */
export function safeSvg(text: string): SVGSVGElement | undefined {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const { documentElement: root } = parsed;
  if (root.localName !== "svg" || parsed.querySelector("parsererror") !== null) return undefined;
  cleanElement(root);
  return document.importNode(root, true) as unknown as SVGSVGElement;
}

function cleanElement(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    if (/^on|^style$|href$/i.test(name) || /url\(\s*['"]?[^#'"\s]/i.test(value)) element.removeAttribute(name);
  }
  for (const child of [...element.children]) {
    if (ELEMENTS.has(child.localName)) cleanElement(child);
    else child.remove();
  }
}
