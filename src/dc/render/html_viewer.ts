/**
 * The script of an HTML picture, as it stands in the file. It reads the dataset as JSON and writes names as text only.
 * Plain JavaScript for browsers, because the file must work as it is.
 */
export const VIEWER_SCRIPT = String.raw`
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const stage = byId("stage"), svg = stage.querySelector("svg"), tip = byId("tip");
  const found = byId("found"), details = byId("details"), search = byId("search");
  const data = JSON.parse(byId("data").textContent);
  const groups = new Map();
  for (const group of svg.querySelectorAll("[data-ref]")) {
    const key = group.dataset.ref.toLowerCase();
    groups.set(key, [...(groups.get(key) || []), group]);
  }
  const titleOf = (group) => {
    const first = group.firstElementChild;
    return first && first.tagName === "title" ? first : undefined;
  };
  const tips = new Map();
  const whole = titleOf(svg);
  if (whole) { svg.setAttribute("aria-label", whole.textContent); whole.remove(); }
  for (const group of svg.querySelectorAll("g")) {
    const title = titleOf(group);
    if (!title) continue;
    // The browser's own tooltip would lie over ours; readers of the picture keep the words as a label.
    tips.set(group, title.textContent);
    group.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  const elements = new Map();
  for (const [key, [group]] of groups) {
    const words = (tips.get(group) || group.dataset.ref).split("\n");
    elements.set(key, { ref: group.dataset.ref, kind: key.split(":")[0], title: words[0], text: words.slice(1).join("\n"), facts: [], related: [] });
  }
  for (const element of data ? data.elements : []) elements.set(element.ref.toLowerCase(), element);

  const [, , fullWidth, fullHeight] = svg.getAttribute("viewBox").split(" ").map(Number);
  let view = { x: 0, y: 0, width: fullWidth, height: fullHeight };
  const show = () => svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
  const fit = () => { view = { x: 0, y: 0, width: fullWidth, height: fullHeight }; show(); };
  const scale = () => Math.max(view.width / stage.clientWidth, view.height / stage.clientHeight);
  const pointOf = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  const zoom = (factor, [x, y] = [view.x + view.width / 2, view.y + view.height / 2]) => {
    const width = Math.min(fullWidth * 4, Math.max(fullWidth / 60, view.width * factor));
    const real = width / view.width;
    view = { x: x - (x - view.x) * real, y: y - (y - view.y) * real, width, height: view.height * real };
    show();
  };
  const move = (dx, dy) => { view.x += dx; view.y += dy; show(); };

  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), pointOf(event));
  }, { passive: false });

  const pointers = new Map();
  let dragged = false, spread = 0;
  stage.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    dragged = false;
    spread = 0;
  });
  window.addEventListener("pointermove", (event) => {
    const from = pointers.get(event.pointerId);
    if (!from) return;
    const to = [event.clientX, event.clientY];
    if (pointers.size === 1) {
      if (!dragged && Math.hypot(to[0] - from[0], to[1] - from[1]) < 4) return;
      dragged = true;
      stage.classList.add("moving");
      hideTip();
      const unit = scale();
      move((from[0] - to[0]) * unit, (from[1] - to[1]) * unit);
    }
    pointers.set(event.pointerId, to);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      const wide = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (spread > 0 && wide > 0) zoom(spread / wide);
      spread = wide;
      dragged = true;
    }
  });
  for (const name of ["pointerup", "pointercancel"]) {
    window.addEventListener(name, (event) => {
      pointers.delete(event.pointerId);
      spread = 0;
      stage.classList.remove("moving");
    });
  }

  const hideTip = () => { tip.hidden = true; };
  svg.addEventListener("pointermove", (event) => {
    if (pointers.size > 0) return;
    let group = event.target.closest("g");
    while (group && !tips.has(group)) group = group.parentElement && group.parentElement.closest("g");
    if (!group) return hideTip();
    tip.textContent = tips.get(group);
    tip.hidden = false;
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 6)) + "px";
    const below = event.clientY + 18;
    tip.style.top = (below + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : below) + "px";
  });
  svg.addEventListener("pointerleave", hideTip);

  const make = (name, text) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const pick = (element) => {
    const button = make("button", element.title);
    button.type = "button";
    button.addEventListener("click", () => choose(element.ref, true));
    const item = make("li");
    item.append(button);
    return item;
  };
  const mark = (ref) => {
    for (const group of svg.querySelectorAll(".chosen")) group.classList.remove("chosen");
    const chosen = groups.get(ref.toLowerCase()) || [];
    for (const group of chosen) group.classList.add("chosen");
    return chosen[0];
  };
  const center = (group) => {
    // What is looked for is shown at the picture's own size at least, so that it can be read.
    if (scale() > 1) zoom(1 / scale());
    const inverse = svg.getScreenCTM().inverse();
    const box = group.getBoundingClientRect();
    const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(inverse);
    move(middle.x - view.x - view.width / 2, middle.y - view.y - view.height / 2);
  };
  const choose = (ref, look) => {
    const element = elements.get(ref.toLowerCase());
    const group = mark(ref);
    if (group && look) center(group);
    if (!element) return;
    const facts = make("dl");
    for (const { label, value } of element.facts) facts.append(make("dt", label), make("dd", value));
    const near = make("ul");
    near.append(...element.related.map((one) => pick(elements.get(one.toLowerCase()) || { ref: one, title: one })));
    details.replaceChildren(make("h2", element.title), make("p", element.ref), facts, near);
    if (element.text) details.append(make("p", element.text));
    location.replace("#" + encodeURIComponent(element.ref));
  };
  svg.addEventListener("click", (event) => {
    const group = event.target.closest("[data-ref]");
    if (group && !dragged) choose(group.dataset.ref, false);
  });

  const matches = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const textOf = (one) => [one.ref, one.title, one.text || "", ...one.facts.map((fact) => fact.value)].join(" ").toLowerCase();
    return [...elements.values()].filter((one) => words.every((word) => textOf(one).includes(word)));
  };
  search.addEventListener("input", () => {
    const hits = matches();
    found.hidden = search.value.trim() === "";
    const more = hits.length > 50 ? [make("li", "and " + (hits.length - 50) + " more")] : [];
    found.replaceChildren(...(hits.length === 0 ? [make("li", "Nothing found")] : hits.slice(0, 50).map(pick)), ...more);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { const [first] = matches(); if (first) choose(first.ref, true); }
    if (event.key === "Escape") { search.value = ""; found.hidden = true; stage.focus(); }
  });

  const keys = {
    ArrowLeft: () => move(-view.width / 12, 0), ArrowRight: () => move(view.width / 12, 0),
    ArrowUp: () => move(0, -view.height / 12), ArrowDown: () => move(0, view.height / 12),
    "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: fit,
    "/": () => search.focus(),
  };
  stage.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  byId("in").addEventListener("click", () => zoom(0.8));
  byId("out").addEventListener("click", () => zoom(1.25));
  byId("fit").addEventListener("click", fit);
  const asked = location.hash.slice(1);
  if (asked) { try { choose(decodeURIComponent(asked), true); } catch { /* not a reference */ } }
})();
`;
