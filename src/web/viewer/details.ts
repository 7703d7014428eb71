/** Details of an element: its title, facts and related elements. */
export interface ElementDetails {
  readonly ref: string;
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** References of connected elements. */
  readonly related: readonly string[];
}

/** Parses the details of an element from its tip: the first line is the title, each further line a fact. */
export function parseElementTip(ref: string, tip: string): ElementDetails {
  const [title = ref, ...lines] = tip.split("\n");
  const facts = lines.map((line) => {
    const [, label = "", value = line] = /^([^:]{1,40}): (.*)$/s.exec(line) ?? [];
    return { label, value };
  });
  return { ref, title, facts, related: [] };
}

/** Draws details into a box. Names are set as text, so that they cannot inject markup. */
export function showDetails(
  box: HTMLElement,
  { ref, title, facts, related }: ElementDetails,
  { chooseElement, close }: { readonly chooseElement: (ref: string) => void; readonly close: () => void },
): void {
  const list = createHtmlElement("dl");
  for (const { label, value } of facts) list.append(createHtmlElement("dt", label), createHtmlElement("dd", value));
  const near = createHtmlElement("ul");
  for (const other of related) {
    const item = createHtmlElement("li");
    item.append(createTextButton(other.replace(/^[a-z_]+:/, ""), () => chooseElement(other)));
    near.append(item);
  }
  const shut = createTextButton("×", close);
  shut.setAttribute("aria-label", "Close the details");
  box.replaceChildren(shut, createHtmlElement("strong", title), createHtmlElement("p", ref), list, near);
  box.hidden = false;
}

export function createHtmlElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = "",
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

export function createTextButton(text: string, act: () => void): HTMLButtonElement {
  const element = createHtmlElement("button", text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}
