const SAFE_ELEMENTS = new Set(
  "svg g rect circle ellipse line path polyline polygon text tspan title desc defs pattern clipPath marker linearGradient stop".split(
    " ",
  ),
);

/**
 * Parses SVG into elements of this page; undefined if the text is no SVG. Keeps only shapes and texts, without
 * handlers, styles or external references. This is a second protection: the server already escapes every name.
 */
export function parseSafeSvg(text: string): SVGSVGElement | undefined {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const { documentElement: root } = parsed;
  if (root.localName !== "svg" || parsed.querySelector("parsererror") !== null) return undefined;
  removeUnsafeParts(root);
  return document.importNode(root, true) as unknown as SVGSVGElement;
}

function removeUnsafeParts(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    if (/^on|^style$|href$/i.test(name) || /url\(\s*['"]?[^#'"\s]/i.test(value)) element.removeAttribute(name);
  }
  for (const child of [...element.children]) {
    if (SAFE_ELEMENTS.has(child.localName)) removeUnsafeParts(child);
    else child.remove();
  }
}
