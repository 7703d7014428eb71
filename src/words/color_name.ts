/** Hues by their upper edge in degrees, in the words in which cables are sold. Ours, after TIA-598-D's names of fibres. */
const HUES: readonly (readonly [to: number, name: string])[] = [
  [15, "red"],
  [42, "orange"],
  [68, "yellow"],
  [90, "lime"],
  [165, "green"],
  [197, "aqua"],
  [255, "blue"],
  [295, "violet"],
  [330, "magenta"],
  [360, "red"],
];
/** Below this saturation a colour is a grey, from these lightnesses on it is white or not black. */
const GREY_SATURATION = 0.14;
const WHITE = 0.92;
const BLACK = 0.1;
const DARK = 0.24;
const LIGHT = 0.78;
/** Dark orange is called brown, and light red rose. */
const BROWN = 0.42;

/** Names a recorded colour. @param color RRGGBB */
export function colorName(color: string): string {
  const { hue, saturation, lightness } = parts(color);
  if (lightness >= WHITE && saturation < 0.5) return "white";
  if (lightness < BLACK) return "black";
  const shade = lightness < DARK ? "dark " : lightness > LIGHT ? "light " : "";
  if (saturation < GREY_SATURATION) return `${shade}grey`;
  const name = HUES.find(([to]) => hue < to)?.[1] ?? "red";
  if ((name === "orange" || saturation < 0.35) && hue < 42 && lightness < BROWN)
    return lightness < DARK ? "dark brown" : "brown";
  if (name === "red" && lightness > LIGHT - 0.08) return "rose";
  return shade + name;
}

/** Hue in degrees, saturation and lightness from 0 to 1. */
function parts(color: string) {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16) / 255;
  const [red, green, blue] = [part(0), part(2), part(4)];
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const spread = most - least;
  const lightness = (most + least) / 2;
  if (spread === 0) return { hue: 0, saturation: 0, lightness };
  const saturation = spread / (1 - Math.abs(2 * lightness - 1));
  const sixth =
    most === red ? (green - blue) / spread : most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4;
  return { hue: (sixth * 60 + 360) % 360, saturation, lightness };
}
