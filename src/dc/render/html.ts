import type { JsonObject } from "@bufbuild/protobuf";
import { sha256 } from "./digest.ts";
import { VIEWER_SCRIPT } from "./html_viewer.ts";
import type { Theme } from "./options.ts";
import { colorOf } from "./palette.ts";
import type { Scene } from "./scene.ts";
import { escapeXml } from "./xml.ts";

export interface HtmlInput {
  readonly svg: string;
  readonly theme: Theme;
  /** The dataset behind the picture; without it search and details know what the picture's tips say. */
  readonly data: JsonObject | undefined;
}

/**
 * A picture as one file that a person can pan, zoom, search and click through, with mouse, touch or keyboard. It asks
 * the network for nothing, and its policy lets nothing run but its own script.
 */
export function toHtml({ title, description }: Scene, { svg, theme, data }: HtmlInput): string {
  const style = styleOf(theme);
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${sha256(VIEWER_SCRIPT, "base64")}'`,
    `style-src 'sha256-${sha256(style, "base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeXml(description)}">
<title>${escapeXml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeXml(title)}</h1>
<input id="search" type="search" placeholder="Search" aria-label="Search elements" aria-controls="found" autocomplete="off">
<div role="group" aria-label="Zoom"><button id="out" type="button" aria-label="Zoom out">&minus;</button><button id="fit" type="button" aria-label="Fit to window">Fit</button><button id="in" type="button" aria-label="Zoom in">+</button></div>
</header>
<main>
<div id="stage" tabindex="0" role="application" aria-label="Picture: arrow keys move, plus and minus zoom, 0 fits">${svg}</div>
<aside aria-live="polite"><ul id="found" hidden></ul><div id="details"><p>Click an element, or search.</p></div></aside>
</main>
<div id="tip" role="tooltip" hidden></div>
<script type="application/json" id="data">${jsonFor(data)}</script>
<script>${VIEWER_SCRIPT}</script>
</body>
</html>
`;
}

/** JSON that cannot end the script element that holds it. */
function jsonFor(data: JsonObject | undefined): string {
  return JSON.stringify(data ?? null).replace(/[<>&\u2028\u2029]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function styleOf(theme: Theme): string {
  const color = (name: Parameters<typeof colorOf>[1]) => colorOf(theme, name);
  return `
*{box-sizing:border-box}
html,body{height:100%;margin:0}
body{display:flex;flex-direction:column;background:${color("surface")};color:${color("ink")};font:14px/1.45 "DejaVu Sans",Verdana,"Segoe UI",sans-serif}
header{display:flex;gap:12px;align-items:center;padding:8px 16px;background:${color("panel")};border-bottom:1px solid ${color("line")}}
h1{font-size:15px;margin:0;flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
input,button{font:inherit;color:inherit;background:${color("surface")};border:1px solid ${color("muted")};border-radius:6px;padding:5px 10px}
button{cursor:pointer;min-width:34px}
:focus-visible{outline:3px solid ${color("accent")};outline-offset:1px}
main{flex:1;display:flex;min-height:0}
#stage{flex:1;min-width:0;overflow:hidden;cursor:grab;touch-action:none}
#stage.moving{cursor:grabbing}
#stage svg{display:block;width:100%;height:100%}
[data-ref]{cursor:pointer}
[data-ref].chosen>:first-child{filter:drop-shadow(0 0 2px ${color("accent")}) drop-shadow(0 0 5px ${color("accent")})}
aside{width:300px;overflow:auto;padding:12px 16px;background:${color("panel")};border-left:1px solid ${color("line")}}
aside h2{font-size:14px;margin:0 0 2px;overflow-wrap:anywhere}
aside p{margin:0 0 8px;color:${color("muted")};overflow-wrap:anywhere;white-space:pre-line}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 12px;margin:8px 0}
dt{color:${color("muted")}}
dd{margin:0;overflow-wrap:anywhere}
#found,#details ul{list-style:none;margin:0 0 12px;padding:0}
#found button,#details ul button{display:block;width:100%;text-align:left;border:0;border-radius:4px;overflow-wrap:anywhere}
#found button:hover,#details ul button:hover{background:${color("accentSoft")};color:${color("on:accentSoft")}}
#tip{position:fixed;z-index:1;max-width:340px;padding:6px 10px;border-radius:6px;background:${color("ink")};color:${color("on:ink")};font-size:12px;white-space:pre-line;overflow-wrap:anywhere;pointer-events:none}
[hidden]{display:none!important}
@media (max-width:700px){main{flex-direction:column}aside{width:auto;max-height:40%;border-left:0;border-top:1px solid ${color("line")}}}
`;
}
