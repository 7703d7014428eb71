import type { JsonObject } from "@bufbuild/protobuf";
import type { Ams1 } from "./ams1.ts";
import { end } from "./small_site.ts";

// A site whose names try to break out of every format and box, with an empty rack, a rack of one device, a rack without a
// place on the floor, a floor of one rack and a floor without any.

/** Names that people may give, the hostile ones first. */
export const ODD_NAMES = [
  "<script>alert(1)</script>",
  '"]; rm',
  "</script><img src=x onerror=alert(1)>",
  "]]> -->&amp;<b>",
  "W".repeat(128),
  "a name of many words that goes on and on ".repeat(3).trim(),
  "🚀 rocket 👩‍👩‍👧‍👦 family 🇳🇱",
  "خادم قاعدة البيانات الرئيسي",
  "שרת מסד נתונים",
  "\u202eevil right to left",
  "机架服务器东侧",
  "ends in a backslash \\",
] as const;

const LONG = "L".repeat(64);

const at = (floor_number: number, row: string): JsonObject => ({
  site_id: "ODD",
  floor_number,
  room: "HALL",
  row,
  zone_id: "ZONE",
});

const name = (index: number): string => ODD_NAMES[index % ODD_NAMES.length] ?? "";

const placed = (index: number): JsonObject => ({
  x_mm: 1000 + (index % 6) * 700,
  y_mm: 1000 + Math.floor(index / 6) * 3000,
  width_mm: 600,
  depth_mm: 1200,
  rotation_deg: 0,
});

const racks: readonly JsonObject[] = [
  ...ODD_NAMES.map((own, index) => ({
    code: index === 4 ? LONG : `R${index}`,
    name: own,
    location: at(1, index < 6 ? "A" : "B"),
    placement: placed(index),
    u_height: 42,
    cooling_capacity_w: 10_000,
    power_capacity_w: 10_000,
    ...(index === 0 && { reservations: [{ units: [41, 42], owner: own }] }),
  })),
  { code: "EMPTY", location: at(1, "B"), placement: placed(12) },
  { code: "UNPLACED", name: name(0), location: at(1, "B") },
  { code: "ALONE", location: at(2, "A"), placement: placed(0) },
  { code: "NOWHERE", location: at(3, "A") },
];

const inlet = (port: string, label: string): JsonObject => ({
  name: port,
  label,
  kind: "PORT_KIND_POWER_IN",
  power_in: { source_ref: "feed:ODD-FEED" },
});

const net = (port: string, label: string): JsonObject => ({
  name: port,
  label,
  kind: "PORT_KIND_NETWORK",
  speed_mbps: 100_000,
});

const servers: readonly JsonObject[] = ODD_NAMES.flatMap((own, index) =>
  [0, 1].map((side) => ({
    code: index === 4 && side === 0 ? "S".repeat(64) : `ODD-${index}-${side}`,
    name: own,
    kind: "DEVICE_KIND_SERVER",
    rack_code: side === 0 ? "R0" : String(racks[index]?.["code"]),
    position_u: side === 0 ? index * 3 + 1 : 20,
    u_height: side === 0 ? (index % 3) + 0.5 : 1,
    face: "FACE_FRONT",
    manufacturer: own,
    model: own,
    comments: own,
    asset_tag: `${index}-${side} ${own}`.slice(0, 60),
    allocated_draw_w: 400,
    max_draw_w: 500,
    ports: [inlet("psu1", own), net("</text>\"'&", own)],
  })),
);

const devices: readonly JsonObject[] = [
  { code: "ODD-UTILITY", name: name(0), kind: "DEVICE_KIND_UTILITY", location: at(1, "A") },
  {
    code: "ODD-PANEL",
    name: name(1),
    kind: "DEVICE_KIND_RPP",
    location: at(1, "A"),
    power: { power_path: "A", capacity_w: 9000 },
    ports: [
      { name: "main", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "device:ODD-UTILITY" } },
      {
        name: '"]; rm',
        kind: "PORT_KIND_POWER_OUT",
        power_out: { feed_id: "ODD-FEED", phase: "PHASE_THREE", voltage_v: 400, amperage_a: 63 },
      },
    ],
  },
  ...servers,
  { code: "ONLY", kind: "DEVICE_KIND_SERVER", rack_code: "ALONE", position_u: 1, face: "FACE_FRONT", name: name(6) },
  ...[0, 1].map((index) => ({
    code: `ODD-SPINE-${index}`,
    name: name(index),
    kind: "DEVICE_KIND_SWITCH",
    role: "spine",
    rack_code: "R1",
    position_u: 30 + index,
    face: "FACE_FRONT",
    ports: ODD_NAMES.map((own, port) => net(`<b>${port}</b>`, own)),
  })),
  ...ODD_NAMES.map((own, index) => ({
    code: index === 4 ? `LEAF-${"L".repeat(59)}` : `ODD-LEAF-${index}`,
    name: own,
    kind: "DEVICE_KIND_SWITCH",
    role: "leaf",
    rack_code: String(racks[index]?.["code"]),
    position_u: 40,
    face: "FACE_FRONT",
    ports: [net("</text>\"'&", own), net("up0", own), net("up1", own)],
  })),
];

const leaf = (index: number): string => (index === 4 ? `LEAF-${"L".repeat(59)}` : `ODD-LEAF-${index}`);

export const oddSite: Ams1 = {
  racks,
  devices,
  cracs: [
    { code: "C".repeat(64), name: name(0), kind: "CRAC_KIND_CRAH", location: at(1, "A"), sensible_capacity_kw: 30 },
    {
      code: "ODD-CRAC",
      name: name(6),
      kind: "CRAC_KIND_CRAH",
      location: at(1, "A"),
      sensible_capacity_kw: 60,
      power_inputs: [{ source_ref: "feed:ODD-FEED" }],
    },
  ],
  cables: [
    ...ODD_NAMES.map((own, index) => ({
      a: end(leaf(index), "</text>\"'&"),
      b: end(index === 4 ? "S".repeat(64) : `ODD-${index}-0`, "</text>\"'&"),
      label: own.slice(0, 64),
      type: "CABLE_TYPE_MMF_OM4",
      length_m: 3,
    })),
  ],
  fabric_links: ODD_NAMES.flatMap((_, index) =>
    [0, 1].map((spine) => ({
      a: end(leaf(index), `up${spine}`),
      b: end(`ODD-SPINE-${spine}`, `<b>${index}</b>`),
      fabric_id: "ODD-FABRIC",
      capacity_mbps: 100_000,
      a_to_b_mbps: index * 9000,
    })),
  ),
};
