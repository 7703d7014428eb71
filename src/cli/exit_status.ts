/**
 * Every exit status of the program. Scripts and hooks depend on them, so the number of a meaning never changes. Source:
 * docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-12, docs/decisions.md#s-28.
 */
export const EXIT_STATUS = {
  ok: 0,
  refused: 1,
  usage: 2,
  undecided: 3,
  /** Status of a program defect: EX_SOFTWARE of sysexits.h, which no other result uses. */
  defect: 70,
  /** Status after SIGINT: 128 plus the signal's number, as shells report it. */
  interrupted: 130,
  /** Status after SIGTERM: 128 plus the signal's number. */
  terminated: 143,
} as const;

/** Meaning of each exit status, for the documentation and the manual page. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT_STATUS, string>> = {
  ok: "Success; for a check: no errors",
  refused:
    "The request was valid but was rejected, or a check reported errors: unknown spec, wrong state, conflicting write",
  usage: "The command did not start: invalid arguments, ambiguous id, no project",
  undecided: "A maintenance window with risk, or with something unknown",
  defect: "A bug in planner; `PLANNER_DEBUG=1` prints the stack",
  interrupted: "Ctrl-C",
  terminated: "SIGTERM",
};

export type ExitStatus = (typeof EXIT_STATUS)[keyof typeof EXIT_STATUS];

/** Returns the exit status for a kind of error: 2 if the caller must change the command line, otherwise 1. */
export function getErrorStatus(kind: string): ExitStatus {
  return kind === "invalid_argument" ? EXIT_STATUS.usage : EXIT_STATUS.refused;
}

/** Ends the process immediately, even if an open input keeps it alive. All output must be written before. */
export function endProcess(status: ExitStatus): never {
  process.exit(status);
}
