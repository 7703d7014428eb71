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

/** Returns a cell of a CSV record by RFC 4180: adds quotes around a text with a comma, a quote or a line break. */
export function quoteCsvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Quotes a word for a POSIX shell, because names are chosen by people and agents and may contain any character. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Field names by column names of imported lists; column names are reduced to lower-case letters and digits. */
export const COLUMN_FIELDS: Readonly<Record<string, string>> = {
  ...{ device: "code", devicename: "code", rackname: "code", rack: "rack_code", cabinet: "rack_code" },
  ...{ u: "position_u", unit: "position_u", position: "position_u", ru: "position_u" },
  ...{ height: "u_height", uheight: "u_height", size: "u_height" },
  ...{ site: "location.site_id", datacenter: "location.site_id", floor: "location.floor_number" },
  ...{ room: "location.room", row: "location.row", zone: "location.zone_id" },
  ...{ vendor: "manufacturer", maker: "manufacturer", make: "manufacturer", serialnumber: "serial", sn: "serial" },
  ...{ asset: "asset_tag", owner: "tenant", customer: "tenant", notes: "comments", comment: "comments" },
  ...{ power: "allocated_draw_w", draw: "allocated_draw_w", watts: "allocated_draw_w", maxpower: "max_draw_w" },
  ...{ weight: "weight_kg", colour: "color", fabric: "fabric_id", capacity: "capacity_mbps" },
  ...{
    parent: "parent_device_code",
    parentdevice: "parent_device_code",
    chassis: "parent_device_code",
    devicebay: "bay",
  },
  ...{ enda: "a", endb: "b", from: "a", to: "b", length: "length_m" },
};

/** Number, type and speed of the requested ports, in the wire's field names; an absent type or speed means any. */
export interface PortDemand {
  readonly count: number;
  readonly type?: string;
  readonly speed_mbps?: number;
}

const PORTS_PATTERN =
  /^(\d+)\s*[xX]\s*(?:(\d+(?:\.\d+)?)\s*([GgMm])(?:\s*\/\s*([a-z0-9][a-z0-9._-]*))?|\/?([a-z0-9][a-z0-9._-]*))$/;

/** Parses `2x25G`, `2x25gbase-x-sfp28` or both, `2x25G/25gbase-x-sfp28`; returns undefined for any other text. */
export function parsePortDemand(text: string): PortDemand | undefined {
  const [, count, speed, unit = "", both, alone] = PORTS_PATTERN.exec(text) ?? [];
  if (count === undefined) return undefined;
  const type = both ?? alone;
  const speedMbps = Number(speed) * (unit.toUpperCase() === "G" ? 1000 : 1);
  return {
    count: Number(count),
    ...(type !== undefined && { type }),
    ...(speed !== undefined && { speed_mbps: speedMbps }),
  };
}
