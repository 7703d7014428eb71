import { useLayoutEffect, useRef } from "preact/hooks";
import { NAVIGATION_ITEMS } from "../navigation.ts";
import { formatPageUrl } from "../router.ts";
import { isKey, type KeyName } from "./keys.ts";
import { shareAddress } from "./share.ts";

interface ShortcutActions {
  readonly search: (text: string) => void;
  readonly showHelp: () => void;
}

/** Keys that work on every page, but not in a field or a dialog. */
export function useShortcuts(actions: ShortcutActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  // With the first drawing: what is seen answers its keys.
  useLayoutEffect(() => {
    // The key after `G` is the second of a pair, however long it takes.
    let isPaired = false;
    const taken = (event: KeyboardEvent): boolean => {
      const isSecond = isPaired;
      isPaired = !isSecond && isKey(event, "go");
      return isSecond ? goTo(event.key) : act(event, latest.current);
    };
    const pressed = (event: KeyboardEvent) => {
      if (isSearch(event)) latest.current.search("");
      else if (isOthers(event) || !taken(event)) return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function isSearch({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey;
}

/** Whether the key belongs to a field, a dialog or the browser. Esc leaves a field. */
function isOthers({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  const isField = element.matches?.("input:not([type=checkbox]), textarea, select") === true;
  if (key === "Escape" && isField) element.blur();
  return isField || ctrlKey || metaKey || altKey || (element.closest?.("dialog") ?? null) !== null;
}

function goTo(letter: string): boolean {
  const item = NAVIGATION_ITEMS.find(({ key }) => key === letter.toUpperCase());
  if (item === undefined) return false;
  location.hash = formatPageUrl(item.page);
  return true;
}

/** What keys do on every page; whether there was something to do. */
const ACTS: Readonly<Partial<Record<KeyName, (actions: ShortcutActions) => unknown>>> = {
  help: ({ showHelp }) => showHelp(),
  search: ({ search }) => search(""),
  actions: ({ search }) => search(">"),
  share: () => void shareAddress(),
  next: () => moveRow(1),
  previous: () => moveRow(-1),
  filter: () => focusOn("[data-key=filter]"),
  select: () => selectRow(),
};

function act(event: KeyboardEvent, actions: ShortcutActions): boolean {
  const found = Object.entries(ACTS).find(([name]) => isKey(event, name as KeyName));
  return found !== undefined && found[1](actions) !== false;
}

/** Rows of tables, and of the lists of causes and changes. */
const ROWS = "main tbody tr, main .causes > li, main .last-changes > li";
/** What a row leads to. */
const LEADS = "a, button, summary";

/** Moves the focus to the next row of the table or list that has it, or into the page's first one. */
function moveRow(step: number): boolean {
  const row = document.activeElement?.closest(ROWS);
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((one) => one.querySelector(LEADS) !== null);
  const next = row === null || row === undefined ? rows[0] : rows[rows.indexOf(row as HTMLElement) + step];
  const link = next?.querySelector<HTMLElement>(LEADS);
  link?.focus();
  return link !== null && link !== undefined;
}

/** Turns the choice of the row that has the focus. */
function selectRow(): boolean {
  const box = document.activeElement?.closest("main tbody tr")?.querySelector<HTMLElement>("input[type=checkbox]");
  box?.click();
  return box !== null && box !== undefined;
}

function focusOn(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(`main ${selector}`);
  found?.focus();
  return found !== null;
}
