// @ts-self-types="./embedded_raster_files.d.ts"
// In JavaScript, with its types beside it, because Deno's type check would read the files below as text.

import wasm from "../../node_modules/@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };
import regular from "../../node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf" with { type: "file" };
import bold from "../../node_modules/dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf" with { type: "file" };

export const paths = [wasm, regular, bold];
