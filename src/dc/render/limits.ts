/** Narrowest and widest picture, in pixels. Source: docs/rpcs.md#render. */
export const LEAST_WIDTH_PX = 64;
export const MOST_WIDTH_PX = 8192;

/** Default and maximum number of nodes drawn before groups are collapsed; no screen can show more. */
export const USUAL_NODES = 500;
export const MOST_NODES = 10_000;

/** Maximum number of references to highlight. Our choice: with more, none is conspicuous. */
export const MOST_HIGHLIGHTS = 1000;

/**
 * Maximum pixels of a PNG. Our choice: each takes four bytes, several times while the file is made; 16,000 by 16,000
 * would take 2 GiB.
 */
export const MOST_PIXELS = 16_000_000;
