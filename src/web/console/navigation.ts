import type { IconName } from "../shared/marks.tsx";
import type { InventoryOverview } from "./api/replies.ts";
import { LIST_KINDS } from "./lists/list_kinds.ts";

type InventoryCountName = "sites" | "floors" | "fabrics" | keyof InventoryOverview["totals"];

/** A page in the side navigation. */
export interface NavigationItem {
  readonly page: string;
  readonly name: string;
  readonly icon: IconName;
  /** Letter that opens the page after `G`. */
  readonly key?: string;
  /** Other pages that highlight this entry: pages of its single elements and of its analyses. */
  readonly relatedPages?: readonly string[];
  /** Inventory count that is shown next to the name. */
  readonly countName?: InventoryCountName;
}

export interface NavigationGroup {
  /** Heading of the group; empty for the first group. */
  readonly name: string;
  readonly items: readonly NavigationItem[];
}

/** For each list, the pages that highlight its entry: pages of its single elements and of its analyses. */
const PAGES_BY_LIST: Readonly<Record<string, readonly string[]>> = {
  sites: ["site"],
  floors: ["floor"],
  rooms: ["room"],
  rows: ["row"],
  racks: ["rack", "sheet"],
  devices: ["device"],
  ports: ["port"],
  cables: ["cable", "trace"],
  supplies: ["feed"],
  cooling: ["crac", "thermal"],
  fabrics: ["fabric"],
  links: ["fabric_link"],
  types: ["device_type"],
};

/** Letters of the lists that are opened most often. */
const SHORTCUT_LETTERS: Readonly<Record<string, string>> = {
  racks: "R",
  devices: "D",
  supplies: "P",
  cables: "C",
  cooling: "L",
  fabrics: "F",
};

const COUNTS_BY_LIST: Readonly<Record<string, InventoryCountName>> = {
  sites: "sites",
  floors: "floors",
  racks: "racks",
  devices: "devices",
  ports: "ports",
  cables: "cables",
  cooling: "cracs",
  fabrics: "fabrics",
  links: "fabric_links",
};

/** The side navigation in its order. The `G` shortcuts and the highlighted entry are derived from it. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    name: "",
    items: [
      { page: "overview", name: "Overview", icon: "overview", key: "O" },
      { page: "rehearsal", name: "Rehearsal", icon: "rehearsal", key: "X" },
      { page: "power", name: "What if", icon: "fail", key: "W" },
      { page: "windows", name: "Windows", icon: "window", key: "M", relatedPages: ["window"] },
      { page: "placement", name: "Where does it fit?", icon: "placement", key: "T" },
      { page: "capacity", name: "Capacity", icon: "columns", key: "K", relatedPages: ["compare"] },
      { page: "readings", name: "Readings", icon: "link" },
      { page: "notices", name: "Notices", icon: "port" },
      { page: "history", name: "History", icon: "history", key: "H" },
    ],
  },
  {
    name: "Inventory",
    items: LIST_KINDS.map(
      ({ page, title, icon }): NavigationItem => ({
        page,
        name: title,
        icon,
        relatedPages: PAGES_BY_LIST[page] ?? [],
        ...(SHORTCUT_LETTERS[page] !== undefined && { key: SHORTCUT_LETTERS[page] }),
        ...(COUNTS_BY_LIST[page] !== undefined && { countName: COUNTS_BY_LIST[page] }),
      }),
    ),
  },
  { name: "Data", items: [{ page: "import", name: "Import", icon: "import", key: "I" }] },
];

/** All entries of the navigation, without their groups. */
export const NAVIGATION_ITEMS: readonly NavigationItem[] = NAVIGATION.flatMap(({ items }) => items);

/** Returns the navigation entry that a page belongs to. */
export function findNavigationItem(page: string): NavigationItem | undefined {
  return NAVIGATION_ITEMS.find((item) => item.page === page || item.relatedPages?.includes(page) === true);
}
