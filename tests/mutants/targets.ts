import { always, CONDITION, type Operator, STATEMENT, withoutCall } from "./operators.ts";

export interface Target {
  readonly name: string;
  /** Sources below the project's root, as glob patterns. */
  readonly sources: readonly string[];
  /** Test files or folders in the order in which they run; the first failure ends the run of a mutant. */
  readonly tests: readonly string[];
  readonly operators: readonly Operator[];
}

const STORE_TESTS = [
  "tests/laws/dc/write_transaction.test.ts",
  "tests/contracts/dc_store.test.ts",
  "tests/laws/dc/store.test.ts",
  "tests/unit/dc/store",
];

const RUN_TESTS = ["tests/unit/planner/runs", "tests/laws/planner/runs"];

/** Faults that stayed unseen once: of these at least 95 % must be killed. */
export const NAMED: readonly Target[] = [
  {
    name: "transaction cache",
    sources: ["src/dc/store/transaction_cache.ts"],
    tests: STORE_TESTS,
    operators: [
      withoutCall("invalidation removed", /^this\.\w+\.(?:clear|delete|update|set)\(/),
      withoutCall("change not passed on", /^this\.\w+(?:Written|written)\(/),
    ],
  },
  {
    name: "write transaction",
    sources: ["src/dc/store/sql_writer.ts"],
    tests: STORE_TESTS,
    operators: [
      withoutCall("cache not told", /^this\.cache\.(?:clear|written|removed)\(/),
      withoutCall("savepoint does not clear", /^this\.rows\.drop\(/),
      withoutCall("savepoint not undone", /ROLLBACK TO SAVEPOINT/),
      withoutCall("port count left out", /^this\.noteRecount\(|\.recount\.add\(|countPorts\(/),
    ],
  },
  {
    name: "runs",
    sources: ["src/planner/runs/**/*.ts"],
    tests: RUN_TESTS,
    operators: [
      withoutCall("agent not stopped", /\bagent\.stop\(/),
      withoutCall("no status file", /\.writeStatus\(/),
      always("failure written in any status", /status === "in_progress"/),
    ],
  },
];

/** General operators on the same folders; the share is reported and judged by people. */
export const GENERAL: readonly Target[] = [
  { name: "store", sources: ["src/dc/store/*.ts"], tests: STORE_TESTS, operators: [STATEMENT, CONDITION] },
  { name: "runs", sources: ["src/planner/runs/**/*.ts"], tests: RUN_TESTS, operators: [STATEMENT, CONDITION] },
];
