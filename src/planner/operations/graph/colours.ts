/** Colours of a box: its ground and the text on it, with a contrast of at least 4.5 to 1. */
export interface BoxColours {
  readonly fill: string;
  readonly ink: string;
}

const DARK = "#1b1f24";

const BY_STATUS: Readonly<Record<string, BoxColours>> = {
  ready: { fill: "#d3e8ff", ink: DARK },
  pending: { fill: "#eceff3", ink: DARK },
  blocked: { fill: "#fdf0c8", ink: DARK },
  in_progress: { fill: "#cdeef2", ink: DARK },
  completed: { fill: "#d5f0d9", ink: DARK },
  archived: { fill: "#d5f0d9", ink: DARK },
  cancelled: { fill: "#ffffff", ink: "#59636e" },
  failed: { fill: "#b3261e", ink: "#ffffff" },
  needs_attention: { fill: "#ffd7d3", ink: DARK },
};

const OTHER: BoxColours = { fill: "#ffffff", ink: "#b3261e" };

export function colourOf(status: string): BoxColours {
  return Object.hasOwn(BY_STATUS, status) ? (BY_STATUS[status] ?? OTHER) : OTHER;
}
