/**
 * Takes the title and the figures off a drawing, since the page shows them; files of the drawing keep them. A drawing
 * without a heading stays as it is.
 */
export function withoutHeading(svg: SVGSVGElement | undefined): SVGSVGElement | undefined {
  const heading = svg?.querySelector('[data-part="heading"]') ?? null;
  if (svg === undefined || heading === null) return svg;
  const { x, y, width, height } = svg.viewBox.baseVal;
  const taken = Number(heading.getAttribute("data-height"));
  const left = height - taken;
  heading.remove();
  svg.querySelector(":scope > rect")?.setAttribute("y", String(y + taken));
  svg.setAttribute("viewBox", `${x} ${y + taken} ${width} ${left}`);
  svg.setAttribute("height", String((svg.height.baseVal.value * left) / height));
  return svg;
}
