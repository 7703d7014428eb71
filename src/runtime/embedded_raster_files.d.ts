/** Paths of the renderer, the regular font and the bold font, in the executable or in the installed packages. */
export const paths: readonly string[];
