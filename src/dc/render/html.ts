import { hash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Theme } from "#dc/model/enum_values.ts";
import { escapeXml } from "#kernel/escape.ts";
import { resolveColor } from "./palette.ts";
import type { Scene } from "./scene.ts";

export interface HtmlInput {
  readonly svg: string;
  readonly theme: Theme;
  /** Dataset of the picture; without it, search and details use the picture's tooltips. */
  readonly data: JsonObject | undefined;
  /** HTML page of the viewer with its script and style, and placeholders for the picture. */
  readonly page: string;
}

/**
 * Returns a picture as one HTML file with zoom, pan, search, filters and details, for mouse, touch and keyboard. The
 * file loads nothing from the network, and its policy permits only the viewer's script.
 */
export function formatHtmlPage({ title, description }: Scene, { svg, theme, data, page }: HtmlInput): string {
  const colors = formatColorVariables(theme);
  const policy = [
    "default-src 'none'",
    `script-src ${formatPolicyHashes(page, "script")}`,
    `style-src ${formatPolicyHashes(page, "style")} ${computePolicyHash(colors)}`,
    // Allows the overview image of a large picture.
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const parts: Readonly<Record<string, string>> = {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    title: `<meta name="description" content="${escapeXml(description)}">\n<title>${escapeXml(title)}</title>\n<style>${colors}</style>`,
    picture: `<h1>${escapeXml(title)}</h1>\n<main>${svg}</main>`,
    data: `<script type="application/json" id="data">${encodeScriptSafeJson(data)}</script>`,
  };
  return page.replaceAll(/<!-- (\w+) -->/g, (mark, name: string) => parts[name] ?? mark);
}

/** Returns the hashes of the page's scripts or styles, in the form of a content security policy. */
function formatPolicyHashes(page: string, name: "script" | "style"): string {
  const found = page.matchAll(new RegExp(`<${name}[^>]*>([\\s\\S]*?)</${name}>`, "g"));
  return [...found].map(([, inside = ""]) => computePolicyHash(inside)).join(" ");
}

function computePolicyHash(text: string): string {
  return `'sha256-${hash("sha256", text, "base64")}'`;
}

/** Encodes JSON so that it cannot end its script element. */
function encodeScriptSafeJson(data: JsonObject | undefined): string {
  return JSON.stringify(data ?? null).replace(/[<>&\u2028\u2029]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns the theme's colours as the CSS variables of the viewer's style. */
function formatColorVariables(theme: Theme): string {
  const names = {
    bg: "surface",
    surface: "panel",
    ink: "ink",
    "ink-2": "muted",
    "ink-3": "muted",
    line: "line",
    edge: "muted",
    accent: "accent",
    "accent-soft": "accentSoft",
    "on-accent-soft": "on:accentSoft",
  } as const;
  const rules = Object.entries(names).map(([name, paint]) => `--${name}:${resolveColor(theme, paint)}`);
  return `:root{${rules.join(";")}}`;
}
