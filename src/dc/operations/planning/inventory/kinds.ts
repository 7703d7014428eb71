/** Kinds of things in the order of the proto's numbers, from 1. */
export const INVENTORY_KINDS = [
  "SITE",
  "FLOOR",
  "ROOM",
  "ROW",
  "RACK",
  "DEVICE",
  "PORT",
  "CABLE",
  "CRAC",
  "SUPPLY",
  "FABRIC",
  "FABRIC_LINK",
  "DEVICE_TYPE",
] as const;

export type InventoryKind = (typeof INVENTORY_KINDS)[number];
