/** The word that makes the program the child which checks outputs; the pid of the process that asks follows it. */
export const CHECK_COMMAND = "__check-output";
