import { DEVICE_KINDS, DEVICE_STATUSES, FACES } from "#dc/model/enum_values.ts";
import type { Flag, Flags } from "../command.ts";
import { booleanFlag, enumFlag, fileFlag, integerFlag, textFlag } from "../flags.ts";
import { convertToEnumWords } from "./asked_flags.ts";

/** Flags that several `planner dc` commands share. */

export const DATABASE_FLAG = fileFlag("File (planner-dc.sqlite) or postgres:// URL");

export const CREATE_FLAG = booleanFlag("Replace a database that vanished");

export const WINDOW_ELEMENTS_ARGUMENT = {
  summary: "What is out: codes, or references such as row:AMS1/1/A",
  required: true,
  repeats: true,
} as const;

export const WINDOW_FLAGS = {
  from: textFlag("time", "Start, such as 2026-11-28 20:00 (now)"),
  for: textFlag("duration", "Length: 2h, 1h30m or 3d"),
  until: textFlag("time", "End of the window", { excludes: ["--for"] }),
  "time-zone": textFlag("name", "Zone of times without an offset (the site's)"),
  accept: textFlag("ref", "Accept this loss: a code, reference or role:<role>", { multiple: true }),
} as const satisfies Readonly<Record<string, Flag>>;

export const URL_FLAG = textFlag("address", "A running server (PLANNER_DC_URL)");

export const TOKEN_FLAG = textFlag("token", "Token for the server (PLANNER_DC_TOKEN)");

export const TOKEN_FILE_FLAG = fileFlag("The token file", { required: true });

export const RENDER_FLAGS = {
  format: enumFlag(["svg", "png", "html", "dot"], "Format (default: by the file's name)"),
  theme: enumFlag(["light", "dark", "print", "high_contrast"], "Colours (light)"),
  coloring: enumFlag(
    ["role", "status", "health", "power", "thermal", "utilization", "none", "risk"],
    "Meaning of the colours (default: by the screen)",
  ),
  view: enumFlag(["front", "rear", "both", "compact", "full"], "Side or amount of detail (default: by the screen)"),
  width: integerFlag(1, "Width of the picture, 64 to 8192", { value: "pixels" }),
} as const satisfies Flags;

export const ADD_DEVICE_FLAGS = {
  db: DATABASE_FLAG,
  type: textFlag("code", "Type of the device"),
  kind: enumFlag(convertToEnumWords(DEVICE_KINDS), "Kind (default: of the type)"),
  rack: textFlag("code", "Rack"),
  position: textFlag("unit", "Lowest unit that it takes, in steps of 0.5"),
  face: enumFlag(convertToEnumWords(FACES), "Side of the rack (front with a position)"),
  chassis: textFlag("code", "Chassis with a bay for it"),
  bay: textFlag("name", "Bay of the chassis"),
  site: textFlag("site", "Site, for a device without a rack"),
  floor: textFlag("number", "Floor of the site (0)", { needs: ["--site"] }),
  room: textFlag("room", "Room of the floor", { needs: ["--site"] }),
  name: textFlag("text", "Name"),
  serial: textFlag("number", "Serial number"),
  "asset-tag": textFlag("tag", "Asset tag"),
  status: enumFlag(convertToEnumWords(DEVICE_STATUSES), "Status (active)"),
  tenant: textFlag("name", "Tenant that uses it"),
  message: textFlag("text", "Reason, for the change log"),
  "dry-run": booleanFlag("Check it, write nothing"),
  json: booleanFlag("Print the reply as JSON"),
} as const satisfies Readonly<Record<string, Flag>>;
