import type { ErrorKind } from "#kernel/errors.ts";

/**
 * Every status that the program ends with. Scripts and hooks rely on them, so a meaning never moves to another number.
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-12, docs/decisions.md#s-28.
 */
export const EXIT_STATUS = {
  /** Done; for a check: clean, or warnings only. */
  ok: 0,
  /** Understood and answered with "no": findings of a check, an unknown spec, a wrong state, a write that lost. */
  refused: 1,
  /** Never started: wrong flags or values, unknown command, no project here. */
  usage: 2,
  /** Understood and answered with neither yes nor no: a maintenance window with risk, or with something unknown. */
  undecided: 3,
  /** A defect of the program itself; 70 is EX_SOFTWARE of sysexits.h, so it is not mistaken for a finding. */
  defect: 70,
  /** Ended by Ctrl-C in a prompt: 128 + SIGINT, as a shell reports it. */
  interrupted: 130,
  /** Ended by SIGTERM after cleaning up: 128 + SIGTERM. */
  terminated: 143,
} as const;

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
