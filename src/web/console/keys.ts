interface Shortcut {
  /** Label of the key for people. */
  readonly shown: string;
  readonly does: string;
  /** Values of `KeyboardEvent.key` that trigger the shortcut without a modifier, in lower case. */
  readonly press?: readonly string[];
}

/** All keyboard shortcuts, grouped by where they work. Handlers and the shortcut dialog use this table. */
export const SHORTCUTS = {
  Everywhere: {
    search: { shown: "Ctrl K or /", does: "search, or jump to a page", press: ["/"] },
    actions: { shown: ">", does: "search the actions", press: [">"] },
    go: { shown: "G, then a letter", does: "go to a page", press: ["g"] },
    share: { shown: "S", does: "copy the address of the page", press: ["s"] },
    edit: { shown: "E", does: "edit what the page is about", press: ["e"] },
    help: { shown: "?", does: "show the keys", press: ["?"] },
    open: { shown: "Enter", does: "open what is marked" },
    part: { shown: "Tab, Shift Tab", does: "go from part to part" },
    back: { shown: "Alt ←", does: "go back" },
    leave: { shown: "Esc", does: "leave a field, close a list, a menu or a dialog" },
  },
  "Lists and tables": {
    filter: { shown: "F", does: "go to the first filter", press: ["f"] },
    next: { shown: "J, or ↓ in a table", does: "go to the next row", press: ["j"] },
    previous: { shown: "K, or ↑ in a table", does: "go to the previous row", press: ["k"] },
    select: { shown: "X", does: "select the row", press: ["x"] },
    column: { shown: "Alt ↑, Alt ↓", does: "move a column, under Columns" },
    cell: { shown: "Enter", does: "check a cell of an import, and go to the next one" },
  },
  Rack: {
    unit: { shown: "↑ ↓", does: "go from unit to unit" },
    face: { shown: "← →", does: "go to the other side" },
    end: { shown: "Home, End", does: "go to the top or the bottom" },
    move: { shown: "M", does: "move a device; then ↑ ↓, and Enter or Esc", press: ["m"] },
    place: { shown: "P", does: "place a device in a free unit that was opened", press: ["p"] },
    duplicate: { shown: "D", does: "duplicate the neighbour there", press: ["d"] },
    reserve: { shown: "R", does: "reserve the block there", press: ["r"] },
  },
  "Fields and dialogs": {
    offered: { shown: "↓ ↑", does: "go through what a field offers; Enter chooses" },
    list: { shown: "Alt ↓, Alt ↑", does: "open or close the list of a field" },
    save: { shown: "Ctrl Enter", does: "save a dialog; in the search, open a new tab" },
  },
  Pictures: {
    element: { shown: "← ↑ → ↓", does: "go from element to element" },
    zoom: { shown: "+, -, 0", does: "larger, smaller, all of it" },
    found: { shown: "Enter, Shift Enter", does: "go through what Find in picture marks" },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Shortcut>>>>;

type ShortcutGroups = typeof SHORTCUTS;
export type ShortcutName = { [Group in keyof ShortcutGroups]: keyof ShortcutGroups[Group] }[keyof ShortcutGroups];

const SHORTCUTS_BY_NAME: ReadonlyMap<string, Shortcut> = new Map(
  Object.values(SHORTCUTS).flatMap((keys) => Object.entries<Shortcut>(keys)),
);

/** Whether an event is the key of a shortcut, pressed without a modifier. */
export function isShortcutKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, name: ShortcutName): boolean {
  return !ctrlKey && !metaKey && !altKey && SHORTCUTS_BY_NAME.get(name)?.press?.includes(key.toLowerCase()) === true;
}

/** Returns the label of a shortcut's key, for buttons. */
export function getKeyLabel(name: ShortcutName): string {
  return SHORTCUTS_BY_NAME.get(name)?.shown ?? "";
}
