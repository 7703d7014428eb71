/** Generated inventories per law: PLANNER_LAW_INVENTORIES, else a few. */
export const LAW_INVENTORIES = Number(process.env["PLANNER_LAW_INVENTORIES"] ?? 20);
