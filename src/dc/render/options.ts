export const RENDER_FORMATS = ["SVG", "PNG", "HTML", "DOT", "NONE"] as const;
export type RenderFormat = (typeof RENDER_FORMATS)[number];

export const THEMES = ["LIGHT", "DARK", "PRINT", "HIGH_CONTRAST"] as const;
export type Theme = (typeof THEMES)[number];

export const COLORINGS = ["ROLE", "STATUS", "HEALTH", "POWER", "THERMAL", "UTILIZATION", "NONE"] as const;
export type Coloring = (typeof COLORINGS)[number];

export const RENDER_VIEWS = ["FRONT", "REAR", "BOTH", "COMPACT", "FULL"] as const;
export type RenderView = (typeof RENDER_VIEWS)[number];

export const SCREENS = ["ELEVATION", "CABLE_PATH", "POWER", "THERMAL", "FABRIC", "FLOOR"] as const;
export type Screen = (typeof SCREENS)[number];
