/** The word that makes the program the child which checks outputs. It is no command of the command line. */
export const CHECK_COMMAND = "__check-output";
