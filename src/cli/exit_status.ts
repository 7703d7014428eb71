import type { ErrorKind } from "#kernel/errors.ts";

/**
 * Every status that the program ends with. Scripts and hooks rely on them, so a meaning never moves to another number.
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-12, docs/decisions.md#s-28.
 */
export const EXIT_STATUS = {
  ok: 0,
  refused: 1,
  usage: 2,
  undecided: 3,
  /** EX_SOFTWARE of sysexits.h, so that it is not mistaken for a finding. */
  defect: 70,
  /** 128 + SIGINT, as a shell reports it. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

/** What each status means, as documents and the manual page state it. */
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

/** How each kind of refusal ends the process: what the caller must word differently is usage, the rest a plain "no". */
export const STATUS_OF_KIND: Record<ErrorKind, ExitStatus> = {
  invalid_argument: EXIT_STATUS.usage,
  not_found: EXIT_STATUS.refused,
  already_exists: EXIT_STATUS.refused,
  failed_precondition: EXIT_STATUS.refused,
  aborted: EXIT_STATUS.refused,
  permission_denied: EXIT_STATUS.refused,
  unauthenticated: EXIT_STATUS.refused,
  resource_exhausted: EXIT_STATUS.refused,
  deadline_exceeded: EXIT_STATUS.refused,
  unavailable: EXIT_STATUS.refused,
};

/**
 * Ends the process at once, whatever still keeps it alive (an open standard input, followed files). For commands that
 * serve until they are stopped; everything must have been written before.
 */
export function endProcess(status: ExitStatus): never {
  process.exit(status);
}
