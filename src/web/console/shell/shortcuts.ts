import { useLayoutEffect, useRef } from "preact/hooks";
import { NAVIGATION_ITEMS } from "../navigation.ts";
import { formatPageUrl } from "../router.ts";
import { isShortcutKey, type ShortcutName } from "./keys.ts";
import { copyPageUrl } from "./share.ts";

interface ShortcutActions {
  readonly search: (text: string) => void;
  readonly showHelp: () => void;
}

/** Handles the shortcuts of every page. In a field or a dialog, only Ctrl+K works. */
export function useGlobalShortcuts(actions: ShortcutActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  // A layout effect, so that shortcuts work as soon as the page is visible.
  useLayoutEffect(() => {
    // The key after `G` completes a pair, however late it is pressed.
    let isPaired = false;
    const handleShortcut = (event: KeyboardEvent): boolean => {
      const isSecond = isPaired;
      isPaired = !isSecond && isShortcutKey(event, "go");
      return isSecond ? openPageByLetter(event.key) : runShortcut(event, latest.current);
    };
    const handleKeyDown = (event: KeyboardEvent) => {
      if (isSearchKey(event)) latest.current.search("");
      else if (isKeyHandledElsewhere(event) || !handleShortcut(event)) return;
      event.preventDefault();
    };
    addEventListener("keydown", handleKeyDown);
    return () => removeEventListener("keydown", handleKeyDown);
  }, []);
}

function isSearchKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey;
}

/** Whether a field, a dialog or the browser handles the key. Also leaves a field on Esc. */
function isKeyHandledElsewhere({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  const isField = element.matches?.("input:not([type=checkbox]), textarea, select") === true;
  if (key === "Escape" && isField) element.blur();
  return isField || ctrlKey || metaKey || altKey || (element.closest?.("dialog") ?? null) !== null;
}

function openPageByLetter(letter: string): boolean {
  const item = NAVIGATION_ITEMS.find(({ key }) => key === letter.toUpperCase());
  if (item === undefined) return false;
  location.hash = formatPageUrl(item.page);
  return true;
}

/** Handlers of the shortcuts of every page. A handler returns false if it did nothing. */
const SHORTCUT_HANDLERS: Readonly<Partial<Record<ShortcutName, (actions: ShortcutActions) => unknown>>> = {
  help: ({ showHelp }) => showHelp(),
  search: ({ search }) => search(""),
  actions: ({ search }) => search(">"),
  share: () => void copyPageUrl(),
  next: () => moveRowFocus(1),
  previous: () => moveRowFocus(-1),
  filter: () => focusElement("[data-key=filter]"),
  select: () => toggleRowSelection(),
};

function runShortcut(event: KeyboardEvent, actions: ShortcutActions): boolean {
  const found = Object.entries(SHORTCUT_HANDLERS).find(([name]) => isShortcutKey(event, name as ShortcutName));
  return found !== undefined && found[1](actions) !== false;
}

/** Selector of table rows, and of items in the lists of causes and changes. */
const ROW_SELECTOR = "main tbody tr, main .causes > li, main .last-changes > li";
/** Selector of the elements in a row that can be activated. */
const ROW_LINK_SELECTOR = "a, button, summary";

/** Moves the focus by `step` rows, or to the page's first row if no row has it. Returns false without a target row. */
function moveRowFocus(step: number): boolean {
  const row = document.activeElement?.closest(ROW_SELECTOR);
  const rows = [...document.querySelectorAll<HTMLElement>(ROW_SELECTOR)].filter(
    (one) => one.querySelector(ROW_LINK_SELECTOR) !== null,
  );
  const next = row === null || row === undefined ? rows[0] : rows[rows.indexOf(row as HTMLElement) + step];
  const link = next?.querySelector<HTMLElement>(ROW_LINK_SELECTOR);
  link?.focus();
  return link !== null && link !== undefined;
}

/** Toggles the selection of the focused row. Returns false if the row has no checkbox. */
function toggleRowSelection(): boolean {
  const box = document.activeElement?.closest("main tbody tr")?.querySelector<HTMLElement>("input[type=checkbox]");
  box?.click();
  return box !== null && box !== undefined;
}

function focusElement(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(`main ${selector}`);
  found?.focus();
  return found !== null;
}
