import { constants } from "node:fs";

/** Opens for reading without waiting for the other end of a named pipe. Windows has neither the flag nor such files. */
export const NON_BLOCKING_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
