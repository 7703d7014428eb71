/** Upper end of each hue in degrees, and its name for cables. Our choice, after the fibre names of TIA-598-D. */
const HUE_NAMES: readonly (readonly [to: number, name: string])[] = [
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
/** Saturation below which a colour is grey; the lightness constants below separate white, black, dark and light. */
const GREY_SATURATION = 0.14;
const MIN_WHITE_LIGHTNESS = 0.92;
const MAX_BLACK_LIGHTNESS = 0.1;
const MAX_DARK_LIGHTNESS = 0.24;
const MIN_LIGHT_SHADE = 0.78;
/** Lightness below which orange is called brown; light red is called rose. */
const MAX_BROWN_LIGHTNESS = 0.42;

/** Returns the English name of a recorded colour, given as RRGGBB. */
export function getColorName(color: string): string {
  const { hue, saturation, lightness } = convertToHsl(color);
  if (lightness >= MIN_WHITE_LIGHTNESS && saturation < 0.5) return "white";
  if (lightness < MAX_BLACK_LIGHTNESS) return "black";
  const shade = lightness < MAX_DARK_LIGHTNESS ? "dark " : lightness > MIN_LIGHT_SHADE ? "light " : "";
  if (saturation < GREY_SATURATION) return `${shade}grey`;
  const name = HUE_NAMES.find(([to]) => hue < to)?.[1] ?? "red";
  if ((name === "orange" || saturation < 0.35) && hue < 42 && lightness < MAX_BROWN_LIGHTNESS)
    return lightness < MAX_DARK_LIGHTNESS ? "dark brown" : "brown";
  if (name === "red" && lightness > MIN_LIGHT_SHADE - 0.08) return "rose";
  return shade + name;
}

/** Converts RRGGBB to a hue in degrees and a saturation and lightness from 0 to 1. */
function convertToHsl(color: string) {
  const readChannel = (at: number) => Number.parseInt(color.slice(at, at + 2), 16) / 255;
  const [red, green, blue] = [readChannel(0), readChannel(2), readChannel(4)];
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const spread = most - least;
  const lightness = (most + least) / 2;
  if (spread === 0) return { hue: 0, saturation: 0, lightness };
  const saturation = spread / (1 - Math.abs(2 * lightness - 1));
  const sixth =
    most === red ? (green - blue) / spread : most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4;
  return { hue: (sixth * 60 + 360) % 360, saturation, lightness };
}
