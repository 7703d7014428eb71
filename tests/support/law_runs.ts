/** How often a law is tried with random input: PLANNER_LAW_RUNS, else 100. */
export const LAW_RUNS = Number(process.env["PLANNER_LAW_RUNS"] ?? 100);
