/** Paths of the renderer, the letters and the bold letters, inside the executable or among the installed packages. */
export const paths: readonly string[];
