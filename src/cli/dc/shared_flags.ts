import { DEVICE_KINDS, DEVICE_STATUSES, FACES } from "#dc/model/enum_values.ts";
import type { Flag, Flags } from "../command.ts";
import { convertToEnumWords } from "./asked_flags.ts";

/** Flags that several `planner dc` commands share. */

export const DATABASE_FLAG = {
  type: "string",
  value: "file",
  completes: "file",
  summary: "File (planner-dc.sqlite) or postgres:// URL",
} as const satisfies Flag;

export const CREATE_FLAG = { type: "boolean", summary: "Replace a database that vanished" } as const satisfies Flag;

export const WINDOW_ELEMENTS = {
  summary: "What is out: codes, or references such as row:AMS1/1/A",
  required: true,
  repeats: true,
} as const;

export const WINDOW_FLAGS = {
  from: { type: "string", value: "time", summary: "Start, such as 2026-11-28 20:00 (now)" },
  for: { type: "string", value: "duration", summary: "Length: 2h, 1h30m or 3d" },
  until: { type: "string", value: "time", summary: "End of the window", excludes: ["--for"] },
  "time-zone": { type: "string", value: "name", summary: "Zone of times without an offset (the site's)" },
  accept: {
    type: "string",
    value: "ref",
    multiple: true,
    summary: "Accept this loss: a code, reference or role:<role>",
  },
} as const satisfies Readonly<Record<string, Flag>>;

export const URL_FLAG = {
  type: "string",
  value: "address",
  summary: "A running server (PLANNER_DC_URL)",
} as const satisfies Flag;

export const TOKEN_FLAG = {
  type: "string",
  value: "token",
  summary: "Token for the server (PLANNER_DC_TOKEN)",
} as const satisfies Flag;

export const TOKEN_FILE_FLAG = {
  type: "string",
  value: "file",
  completes: "file",
  summary: "The token file",
  required: true,
} as const satisfies Flag;

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

export const ADD_DEVICE_FLAGS = {
  db: DATABASE_FLAG,
  type: { type: "string", value: "code", summary: "Type of the device" },
  kind: { type: "enum", options: convertToEnumWords(DEVICE_KINDS), summary: "Kind (default: of the type)" },
  rack: { type: "string", value: "code", summary: "Rack" },
  position: { type: "string", value: "unit", summary: "Lowest unit that it takes, in steps of 0.5" },
  face: { type: "enum", options: convertToEnumWords(FACES), summary: "Side of the rack (front with a position)" },
  chassis: { type: "string", value: "code", summary: "Chassis with a bay for it" },
  bay: { type: "string", value: "name", summary: "Bay of the chassis" },
  site: { type: "string", value: "site", summary: "Site, for a device without a rack" },
  floor: { type: "string", value: "number", summary: "Floor of the site (0)", needs: ["--site"] },
  room: { type: "string", value: "room", summary: "Room of the floor", needs: ["--site"] },
  name: { type: "string", value: "text", summary: "Name" },
  serial: { type: "string", value: "number", summary: "Serial number" },
  "asset-tag": { type: "string", value: "tag", summary: "Asset tag" },
  status: { type: "enum", options: convertToEnumWords(DEVICE_STATUSES), summary: "Status (active)" },
  tenant: { type: "string", value: "name", summary: "Tenant that uses it" },
  message: { type: "string", value: "text", summary: "Reason, for the change log" },
  "dry-run": { type: "boolean", summary: "Check it, write nothing" },
  json: { type: "boolean", summary: "Print the reply as JSON" },
} as const satisfies Readonly<Record<string, Flag>>;
