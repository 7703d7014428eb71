/** An invented floor for benches: one room of 500 racks, of which each of three pairs of UPS carries up to 210. */

export const RACKS = 500;
const RACKS_IN_ROW = 25;
const RACKS_BEHIND_UPS = 210;
const RACKS_BEHIND_PANEL = 20;
const SERVERS = 47;
const SIDES = ["A", "B"] as const;
const LOCATION = { site_id: "BIG", floor_number: 1, room: "HALL" };

export const FLOOR = `floor:${LOCATION.site_id}/${LOCATION.floor_number}`;
export const rackCode = (at: number) => `R${String(at + 1).padStart(3, "0")}`;

const inlet = (name: string, source_ref: string, type: string) => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  type,
  power_in: { source_ref },
});

/** The items of the floor as import takes them, what others refer to first. */
export function* largeFloor(): Generator<object> {
  for (let at = 0; at < RACKS; at++) yield { rack: rack(at) };
  for (const side of SIDES) yield* distribution(side);
  for (let at = 0; at < RACKS; at++) yield* occupants(rackCode(at));
}

function rack(at: number): object {
  const row = Math.floor(at / RACKS_IN_ROW);
  return {
    code: rackCode(at),
    location: { ...LOCATION, row: `ROW${row + 1}` },
    position_in_row: (at % RACKS_IN_ROW) + 1,
    u_height: SERVERS,
    placement: { x_mm: 2000 + (at % RACKS_IN_ROW) * 600, y_mm: 2000 + row * 2400, width_mm: 600, depth_mm: 1200 },
    power_capacity_w: 22_000,
    cooling_capacity_w: 22_000,
  };
}

/** Utility, three UPS and the panels behind them of one side; each panel declares a feed for each of its racks. */
function* distribution(side: string): Generator<object> {
  const floor = { mount: "MOUNT_FLOOR", location: LOCATION };
  yield { device: { code: `UTIL-${side}`, kind: "DEVICE_KIND_UTILITY", ...floor } };
  for (let ups = 0; ups * RACKS_BEHIND_UPS < RACKS; ups++) {
    const code = `UPS-${ups + 1}${side}`;
    const power = { capacity_w: 8_000_000, power_path: side, runtime_s: 600 };
    const ports = [inlet("input", `device:UTIL-${side}`, "hardwired")];
    yield { device: { code, kind: "DEVICE_KIND_UPS", ...floor, power, ports } };
    const end = Math.min(RACKS, (ups + 1) * RACKS_BEHIND_UPS);
    for (let from = ups * RACKS_BEHIND_UPS; from < end; from += RACKS_BEHIND_PANEL) {
      yield { device: { ...floor, ...panel(side, code, from, Math.min(end, from + RACKS_BEHIND_PANEL)) } };
    }
  }
}

function panel(side: string, ups: string, from: number, end: number): object {
  const breakers = [...Array(end - from).keys()].map((at) => ({
    name: `CB${at + 1}`,
    kind: "PORT_KIND_POWER_OUT",
    type: "hardwired",
    power_out: { feed_id: `${rackCode(from + at)}-${side}`, voltage_v: 400, amperage_a: 63, phase: "PHASE_THREE" },
  }));
  const ports = [inlet("main", `device:${ups}`, "hardwired"), ...breakers];
  const power = { capacity_w: 600_000, power_path: side };
  return { code: `RPP-${rackCode(from)}-${side}`, kind: "DEVICE_KIND_RPP", power, ports };
}

function* occupants(rack_code: string): Generator<object> {
  for (const side of SIDES) {
    const mount = side === "A" ? "MOUNT_ZERO_U_LEFT" : "MOUNT_ZERO_U_RIGHT";
    const ports = [inlet("main", `feed:${rack_code}-${side}`, "iec-60309-3p-n-e-6h")];
    const code = `PDU-${rack_code}-${side}`;
    yield { device: { code, kind: "DEVICE_KIND_RACK_PDU", rack_code, mount, face: "FACE_REAR", u_height: 0, ports } };
  }
  for (let unit = 1; unit <= SERVERS; unit++) {
    const ports = SIDES.map((side, at) => inlet(`psu${at + 1}`, `device:PDU-${rack_code}-${side}`, "iec-60320-c14"));
    const code = `${rack_code}-S${String(unit).padStart(2, "0")}`;
    const place = { rack_code, position_u: unit, face: "FACE_FRONT" };
    yield { device: { code, kind: "DEVICE_KIND_SERVER", ...place, allocated_draw_w: 380, max_draw_w: 500, ports } };
  }
}
