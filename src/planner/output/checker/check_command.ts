/** Command by which the program starts itself as the child process that checks outputs; the parent's PID follows it. */
export const CHECK_COMMAND = "__check-output";
