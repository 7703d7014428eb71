/**
 * Draws README's recording of `npm run example` into `docs/images`, in light and dark: `npm run screens:story`, after
 * `bun build.ts`. The text is what the run printed; `tests/e2e/example_day.test.ts` compares it with a run.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/planner_command.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SCHEMES = {
  light: { paper: "#f6f8fa", edge: "#d1d9e0", answer: "#59636e", command: "#1f2328", prose: "#0969da" },
  dark: { paper: "#151b23", edge: "#3d444d", answer: "#9198a1", command: "#f0f6fc", prose: "#4493f8" },
} as const;
const LINE = 19;
/** Width of a character of the fallback fonts at 14 pixels, rounded up. */
const CHARACTER = 8.5;
const PADDING = 16;

type Scheme = keyof typeof SCHEMES;

/** Text without what differs from run to run: days and times, ends of ids, the folder. */
export function withoutVariables(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, "DAY")
    .replaceAll(/(DAY-00\d)-\w{3}\b/g, "$1-END")
    .replaceAll(/passed in [\d.]+ s on [0-9a-f]{10}\b/g, "passed in TIME on COMMIT")
    .replaceAll(/(?:\/[\w.-]+)+\/planner-\w{6}/g, "FOLDER");
}

export function readStory(scheme: Scheme): string {
  const lines = readFileSync(join(ROOT, "docs", "images", `story-${scheme}.svg`), "utf8").matchAll(
    /<text [^>]*>(.*)<\/text>/g,
  );
  const named: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  return [...lines].map(([, line = ""]) => `${line.replaceAll(/&\w+;/g, (one) => named[one] ?? one)}\n`).join("");
}

function drawStory(text: string, scheme: Scheme): string {
  const lines = text.trimEnd().split("\n");
  const { paper, edge, ...ink } = SCHEMES[scheme];
  const width = Math.ceil(80 * CHARACTER) + 2 * PADDING;
  const height = lines.length * LINE + 2 * PADDING;
  const drawn = lines.map((line, index) => {
    const kind =
      line.startsWith("$ ") || line.startsWith("    ") ? "command" : isProse(lines, index) ? "prose" : "answer";
    const escaped = line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    const weight = kind === "command" ? ' font-weight="600"' : "";
    return `<text x="${PADDING}" y="${PADDING + index * LINE + 14}" fill="${ink[kind]}"${weight} xml:space="preserve">${escaped}</text>`;
  });
  const font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${font}" font-size="14">
<title>A day of two agents, as npm run example prints it</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${paper}" stroke="${edge}"/>
${drawn.join("\n")}
</svg>
`;
}

/** The lines above a paragraph's first command tell what happens. */
function isProse(lines: readonly string[], index: number): boolean {
  const before = lines.slice(0, index + 1);
  return before.slice(before.lastIndexOf("") + 1).every((line) => !line.startsWith("$ "));
}

if (import.meta.main) {
  const { code, stdout, stderr } = await runCommand(["node", "examples/day.mjs", "--built"], { cwd: ROOT });
  if (code !== 0) throw new Error(stderr);
  for (const scheme of ["light", "dark"] as const) {
    writeFileSync(join(ROOT, "docs", "images", `story-${scheme}.svg`), drawStory(stdout, scheme));
  }
}
