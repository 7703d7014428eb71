import {
  AWAIT,
  always,
  CONDITION,
  CONSTANT,
  OPERATOR,
  type Operator,
  RESULT,
  STATEMENT,
  withoutCall,
} from "./operators.ts";

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
      withoutCall("invalidation removed", /^(?:this\.#\w+|lists)\.(?:clear|delete|update|set)\(/),
      withoutCall("change not passed on", /^this\.#record\w+\(/),
    ],
  },
  {
    name: "write transaction",
    sources: ["src/dc/store/sql/sql_writer.ts"],
    tests: STORE_TESTS,
    operators: [
      withoutCall("cache not told", /^this\.#cache\.(?:clear|record\w+)\(/),
      withoutCall("savepoint does not clear", /^this\.#rows\.drop\(/),
      withoutCall("savepoint not undone", /ROLLBACK TO SAVEPOINT/),
      withoutCall("port count left out", /^this\.#addRecount\(|#recountedDevices\.add\(|recountFreePorts\(/),
    ],
  },
  {
    name: "runs",
    sources: ["src/planner/runs/**/*.ts"],
    tests: RUN_TESTS,
    operators: [
      withoutCall("agent not stopped", /\b(?:agent|program|process)\.stop\(/),
      withoutCall("no status file", /\.writeStatus\(/),
      always("failure written in any status", /status === "in_progress"/),
    ],
  },
];

const ANY: readonly Operator[] = [STATEMENT, CONDITION, AWAIT, OPERATOR, CONSTANT, RESULT];

/** Tests of the commands; they run the changed source. */
function commands(...names: readonly string[]): readonly string[] {
  return names.map((name) => `tests/e2e/${name}.test.ts`);
}

/** General operators on the same folders; the share is reported and judged by people. */
export const GENERAL: readonly Target[] = [
  { name: "store", sources: ["src/dc/store/**/*.ts"], tests: STORE_TESTS, operators: ANY },
  {
    name: "runs",
    sources: ["src/planner/runs/*.ts", "src/planner/runs/run/*.ts"],
    tests: [...RUN_TESTS, ...commands("work_command", "work_queue", "work_limits", "work_rules", "work_setup")],
    operators: ANY,
  },
  {
    name: "doctor",
    sources: ["src/planner/runs/doctor/*.ts"],
    tests: commands("doctor_command"),
    operators: ANY,
  },
  {
    name: "merge and split",
    sources: ["src/planner/runs/merge/*.ts", "src/planner/runs/split/*.ts"],
    tests: ["tests/laws/planner/runs/split.test.ts", ...commands("merge_command", "split_command")],
    operators: ANY,
  },
  { name: "watch", sources: ["src/planner/runs/watch/*.ts"], tests: commands("watch_command"), operators: ANY },
];
