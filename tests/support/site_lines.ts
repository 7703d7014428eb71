/** Lists of a site, as upsert items in proto JSON, with what JSON Lines call an item of each; what others stand on is first. */
const KINDS = {
  racks: "rack",
  devices: "device",
  cracs: "crac",
  cables: "cable",
  fabric_links: "fabric_link",
} as const;

export type SiteLists<Item> = Readonly<Partial<Record<keyof typeof KINDS, readonly Item[]>>>;

type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Every item with its kind, list by list. */
export function itemsByKind<Item>(site: SiteLists<Item>): readonly (readonly [kind: Kind, item: Item])[] {
  return (Object.keys(KINDS) as (keyof typeof KINDS)[]).flatMap((list) =>
    (site[list] ?? []).map((item) => [KINDS[list], item] as const),
  );
}

/** The site as the objects that stand on the lines of an import. */
export function siteLines(site: SiteLists<object>): readonly object[] {
  return itemsByKind(site).map(([kind, item]) => ({ [kind]: item }));
}
