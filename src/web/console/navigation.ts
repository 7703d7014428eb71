import type { IconName } from "./ui/icon.tsx";

/** A page that the navigation leads to. */
export interface NavigationItem {
  readonly page: string;
  readonly name: string;
  readonly icon: IconName;
  /** The letter that goes there after `G`. */
  readonly key?: string;
  /** Pages of single things that belong to this one, which mark it as well. */
  readonly also?: readonly string[];
  /** The count of the inventory that is shown beside the name. */
  readonly tally?: "sites" | "floors" | "racks" | "devices" | "cracs" | "cables" | "fabrics";
}

export interface NavigationGroup {
  /** Empty for the first group, which needs no name. */
  readonly name: string;
  readonly items: readonly NavigationItem[];
}

/** The side navigation in its order; the `G` keys and the marks of where one is follow from it. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    name: "",
    items: [
      { page: "overview", name: "Overview", icon: "overview", key: "O" },
      { page: "power", name: "What if", icon: "fail", key: "W" },
      { page: "history", name: "History", icon: "history", key: "H" },
    ],
  },
  {
    name: "Inventory",
    items: [
      { page: "search", name: "Devices", icon: "device", key: "D", also: ["device"], tally: "devices" },
      { page: "trace", name: "Cables", icon: "cable", key: "C", tally: "cables" },
      { page: "thermal", name: "Cooling", icon: "cooling", key: "L" },
      { page: "fabric", name: "Fabric", icon: "fabric", key: "F", tally: "fabrics" },
    ],
  },
  { name: "Data", items: [{ page: "import", name: "Import", icon: "import", key: "I" }] },
];

/** Every page of the navigation. */
export const NAVIGATION_ITEMS: readonly NavigationItem[] = NAVIGATION.flatMap(({ items }) => items);

/** The entry that a page belongs to. */
export function navigationItemOf(page: string): NavigationItem | undefined {
  return NAVIGATION_ITEMS.find((item) => item.page === page || item.also?.includes(page) === true);
}
