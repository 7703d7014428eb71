/** Generated inventories per law: PLANNER_LAW_ESTATES, else a few. */
export const LAW_ESTATES = Number(process.env["PLANNER_LAW_ESTATES"] ?? 20);
