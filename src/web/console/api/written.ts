import { Listeners } from "../../shared/listeners.ts";

/** Listeners that load their data again after this page has changed the inventory. */
export const inventoryWriteListeners = new Listeners();
