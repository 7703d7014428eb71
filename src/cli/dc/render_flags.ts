import type { Flags } from "../command.ts";

export const RENDER_FLAGS = {
  format: { type: "enum", options: ["svg", "png", "html", "dot"], summary: "Format (default: by the file's name)" },
  theme: { type: "enum", options: ["light", "dark", "print", "high_contrast"], summary: "Colours (light)" },
  coloring: {
    type: "enum",
    options: ["role", "status", "health", "power", "thermal", "utilization", "none", "risk"],
    summary: "Meaning of the colours (default: by the screen)",
  },
  view: {
    type: "enum",
    options: ["front", "rear", "both", "compact", "full"],
    summary: "Side or amount of detail (default: by the screen)",
  },
  width: { type: "integer", value: "pixels", least: 1, summary: "Width of the picture, 64 to 8192" },
} as const satisfies Flags;
