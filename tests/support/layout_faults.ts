import type { Page } from "playwright-core";

/**
 * What a person would call broken on the page as it stands, one line for each: a page that scrolls sideways, text that is
 * cut without a way to read it, texts that lie over each other, controls that lie over each other. Pictures are left
 * out: their texts are measured where they are drawn.
 */
export function layoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(LOOK);
}

/** Runs inside the page. */
const LOOK = String.raw`(() => {
  const faults = [];
  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth) faults.push("scrolls sideways by " + (root.scrollWidth - root.clientWidth) + " px");

  const named = (node) => {
    const element = node.nodeType === 3 ? node.parentElement : node;
    const words = (node.textContent || element.getAttribute("aria-label") || "").trim().slice(0, 40);
    return element.tagName.toLowerCase() + (element.className ? "." + String(element.className).split(" ")[0] : "") + " \"" + words + "\"";
  };
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isForReaders = (element) => element.closest(".sr-only, svg, option, datalist, .skip") !== null;

  // What is seen of a box: the part within everything that cuts or scrolls it.
  const seen = (element, box) => {
    let { left, top, right, bottom } = box;
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(at);
      if (overflowX !== "visible" || overflowY !== "visible") {
        const edge = at.getBoundingClientRect();
        left = Math.max(left, edge.left);
        right = Math.min(right, edge.right);
        top = Math.max(top, edge.top);
        bottom = Math.min(bottom, edge.bottom);
      }
      if (position === "fixed") break;
    }
    return { left, top, right, bottom };
  };
  // Bars that stay while the page moves lie over it by their nature.
  const layerOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { position } = getComputedStyle(at);
      if (position === "fixed" || position === "sticky" || at.tagName === "DIALOG" || at.hasAttribute("popover")) return at;
    }
    return null;
  };
  const overlapping = (boxes, what) => {
    boxes.sort((a, b) => a.top - b.top);
    for (const [index, one] of boxes.entries()) {
      for (let next = index + 1; next < boxes.length && boxes[next].top < one.bottom - 2; next += 1) {
        const other = boxes[next];
        if (one.layer !== other.layer || one.node === other.node) continue;
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - other.top;
        if (wide > 2 && high > 2) faults.push(what + " overlap: " + named(one.node) + " and " + named(other.node));
      }
    }
  };
  const boxesOf = (node, element, rects) => [...rects].flatMap((rect) => {
    const box = seen(element, rect);
    return box.right - box.left > 1 && box.bottom - box.top > 1 ? [{ ...box, node, element, layer: layerOf(element) }] : [];
  });

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || !isShown(element) || isForReaders(element) || /^(SCRIPT|STYLE)$/.test(element.tagName)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    texts.push(...boxesOf(node, element, range.getClientRects()));
    const { overflowX } = getComputedStyle(element);
    const isCut = element.clientWidth > 2 && overflowX !== "visible" && overflowX !== "auto" && overflowX !== "scroll" && element.scrollWidth > element.clientWidth + 1;
    if (isCut && element.closest("[title], [data-whole]") === null) faults.push("cut: " + named(node));
  }
  overlapping(texts, "texts");

  const controls = [];
  for (const element of document.querySelectorAll("button, a[href], input, select, textarea, summary")) {
    if (!isShown(element) || isForReaders(element)) continue;
    controls.push(...boxesOf(element, element, element.getClientRects()));
    if (element.matches("button, select") && element.scrollWidth > element.clientWidth + 2) faults.push("cut: " + named(element));
  }
  overlapping(controls, "controls");
  return [...new Set(faults)].slice(0, 20);
})()`;
