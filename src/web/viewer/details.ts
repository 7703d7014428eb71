/** Facts about an element. */
export interface Details {
  readonly ref: string;
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** References of connected elements. */
  readonly related: readonly string[];
}

/** Reads details out of a tip: its title, and then a fact on each line. */
export function detailsOfTip(ref: string, tip: string): Details {
  const [title = ref, ...lines] = tip.split("\n");
  const facts = lines.map((line) => {
    const [, label = "", value = line] = /^([^:]{1,40}): (.*)$/s.exec(line) ?? [];
    return { label, value };
  });
  return { ref, title, facts, related: [] };
}

/** Writes details into their box; names are text, whatever they hold. */
export function showDetails(
  box: HTMLElement,
  { ref, title, facts, related }: Details,
  { choose, close }: { readonly choose: (ref: string) => void; readonly close: () => void },
): void {
  const list = make("dl");
  for (const { label, value } of facts) list.append(make("dt", label), make("dd", value));
  const near = make("ul");
  for (const other of related) {
    const item = make("li");
    item.append(button(other.replace(/^[a-z_]+:/, ""), () => choose(other)));
    near.append(item);
  }
  const shut = button("×", close);
  shut.setAttribute("aria-label", "Close the details");
  box.replaceChildren(shut, make("strong", title), make("p", ref), list, near);
  box.hidden = false;
}

export function make<Name extends keyof HTMLElementTagNameMap>(name: Name, text = ""): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

export function button(text: string, act: () => void): HTMLButtonElement {
  const element = make("button", text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}
