/** Narrowest and widest picture, in pixels. Source: docs/contract/datacenter-messages.md#render. */
export const LEAST_WIDTH_PX = 64;
export const MOST_WIDTH_PX = 8192;

/** Nodes drawn before groups are folded by default, and most that can be asked for: more no screen can show. */
export const USUAL_NODES = 500;
export const MOST_NODES = 10_000;

/** Most references to highlight. Ours: beyond it nothing stands out. */
export const MOST_HIGHLIGHTS = 1000;

/** Most pixels of a PNG. Ours: four bytes each, several times over while it is made; 16,000 by 16,000 would take 2 GiB. */
export const MOST_PIXELS = 16_000_000;
