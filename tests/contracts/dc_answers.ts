import type { JsonObject } from "@bufbuild/protobuf";

/** A question about the sample site and what the answer holds at least; proto JSON with snake_case names. */
export interface Question {
  readonly rpc: string;
  readonly request: JsonObject;
  readonly expected: JsonObject;
}

const NOBODY = { racks_dark: 0, racks_partial: 0, racks_protected: 0, devices_offline: 0, it_devices_offline: 0 };

/** What SRV-B03-07 cannot lose, from its PDU on. */
const SINGLE_POINTS = "device:PDU-B03-A feed:AMS1-B03-A device:RPP-A-B device:UPS-A1 device:SWGR-A device:ATS-A".split(
  " ",
);

/** The story that the sample site tells. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  "a utility fails and its generator carries": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "device:UTIL-A" },
    expected: { impact: { ...NOBODY, racks_protected: 40, it_load_lost_w: 0 }, affected: [], truncated: false },
  },
  "a UPS fails: single-corded devices of its side go off": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "device:UPS-A1" },
    expected: {
      impact: { ...NOBODY, racks_dark: 1, racks_partial: 19, devices_offline: 66, it_devices_offline: 43 },
      overloads: [],
    },
  },
  "a rack that hangs on one feed goes dark with it": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "feed:AMS1-A08-A" },
    expected: { impact: { ...NOBODY, racks_dark: 1, devices_offline: 25, it_devices_offline: 23 } },
  },
  "one feed of two fails: only its rack PDU is off": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "feed:AMS1-B03-B" },
    expected: {
      impact: { ...NOBODY, racks_protected: 1, devices_offline: 1, devices_degraded: 21 },
      affected: [
        {
          kind: "ITEM_KIND_DEVICE",
          code: "PDU-B03-B",
          state: "IMPACT_STATE_OFFLINE",
          rack_code: "B03",
          lost_inlets: ["main"],
          remaining_inlets: [],
          via: "feed:AMS1-B03-B",
          depth: 1,
        },
      ],
    },
  },
  "a UPS fails and the panel that takes over trips": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "device:UPS-A2", cascade: true },
    expected: {
      impact: {
        racks_dark: 10,
        racks_partial: 10,
        racks_protected: 0,
        devices_offline: 93,
        it_devices_offline: 60,
        power_devices_offline: 33,
        it_load_lost_w: 227_520,
        cracs_offline: 2,
        cooling_lost_kw: 108,
      },
      cascade_steps: [{ step: 1, tripped_refs: ["device:RPP-B-D"], devices_offline: 93 }],
      overloads: [],
    },
  },
  "side B fails: RPP-A-D would carry 109.5 %": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "device:UPS-B2" },
    expected: {
      overloads: [
        {
          ref: "device:RPP-A-D",
          load_before_w: 119_520,
          load_after_w: 238_920,
          capacity_w: 218_200,
          severity: "OVERLOAD_SEVERITY_WOULD_TRIP",
        },
        { ref: "device:UPS-A2", severity: "OVERLOAD_SEVERITY_OVER_DERATED" },
      ],
    },
  },
  "a utility and its generator fail: batteries last ten minutes": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "device:UTIL-A", additional_source_refs: ["device:GEN-A"] },
    expected: { impact: { racks_dark: 1, racks_partial: 31, racks_protected: 8, min_ride_through_s: 600 } },
  },
  "a whole row loses power, its cooling with it": {
    rpc: "PowerBlastRadius",
    request: { source_ref: "row:AMS1/1/A" },
    expected: {
      impact: { ...NOBODY, racks_dark: 10, devices_offline: 216, it_devices_offline: 216, cracs_offline: 2 },
    },
  },
  "RPP-A-D carries its half of row D": {
    rpc: "GetDevice",
    request: { code: "rpp-a-d" },
    expected: {
      device: { code: "RPP-A-D", kind: "DEVICE_KIND_RPP" },
      power_load_w: 119_520,
      recent: [{ action: "AUDIT_ACTION_CREATE", entity: "device:RPP-A-D" }],
    },
  },
  "SRV-B03-07 has both supplies on side A": {
    rpc: "GetDevice",
    request: { code: "SRV-B03-07" },
    expected: {
      power_chain: ["psu1", "psu2"].map((inlet) => ({
        inlet,
        path: [...SINGLE_POINTS, "device:UTIL-A"],
        path_label: "A",
        live: true,
      })),
      power_single_points: SINGLE_POINTS,
    },
  },
  "a leaf's uplink ends on its spine, by the patch panels": {
    rpc: "TraceCablePath",
    request: { port_ref: "port:LEAF-A01-1/Ethernet49" },
    expected: {
      paths: [
        {
          origin: { device_code: "LEAF-A01-1", port_name: "Ethernet49" },
          destination: { device_code: "SPINE-D09-1", port_name: "Ethernet1" },
          status: "PATH_STATUS_COMPLETE",
          active: true,
          total_length_m: 23.1,
          length_is_partial: false,
          hops: ["LEAF-A01-1", "PP-A01-1", "PP-D09-1", "SPINE-D09-1"].map((device_code) => ({ device_code })),
        },
      ],
    },
  },
  "a port is shown with its cable and the far end": {
    rpc: "GetPort",
    request: { port_ref: "port:LEAF-A01-1/Ethernet49" },
    expected: {
      port: {
        name: "Ethernet49",
        far_end: { device_code: "SPINE-D09-1", port_name: "Ethernet1" },
        path_status: "PATH_STATUS_COMPLETE",
        cable: { type: "CABLE_TYPE_MMF_OM4", length_m: 1 },
      },
      device: { code: "LEAF-A01-1", rack_code: "A01" },
      path: { total_length_m: 23.1 },
    },
  },
  "a rack on one feed is a fault": {
    rpc: "GetRack",
    request: { code: "A08" },
    expected: {
      rack: {
        code: "A08",
        health: "HEALTH_FAULT",
        health_reasons: [{ code: "ONE_POWER_PATH", value: 1, limit: 2, ref: "rack:A08" }],
      },
      capacity: {
        total_u: 42,
        used_u: 24,
        allocated_w: 8100,
        failover_w_by_path: [{ power_path: "A", normal_w: 8100, failover_w: 8100 }],
      },
      conflicts: [],
    },
  },
  "a rack shows which devices lack a second side": {
    rpc: "GetRack",
    request: { code: "B03" },
    expected: {
      rack: {
        health: "HEALTH_WATCH",
        health_reasons: ["MGMT-B03", "SRV-B03-07"].map((code) => ({ code: "REDUNDANCY_UNMET", ref: `device:${code}` })),
      },
      capacity: {
        failover_w_by_path: [
          { power_path: "A", normal_w: 4270, failover_w: 8100 },
          { power_path: "B", normal_w: 3830, failover_w: 7660 },
        ],
      },
    },
  },
  "row D cannot spare a cooling unit": {
    rpc: "ThermalHeadroom",
    request: { scope_ref: "row:AMS1/1/D" },
    expected: {
      heat_kw: 226.92,
      air_heat_kw: 74.6,
      liquid_heat_kw: 152.32,
      effective_kw: 108,
      reserve_kw: 54,
      usable_kw: 54,
      redundancy_ok: false,
      liquid_headroom_kw: -152.32,
      hotspots: [
        { ref: "row:AMS1/1/D", severity: "HEALTH_WATCH", code: "ZONE_WITHOUT_RESERVE", limit: 54 },
        { ref: "row:AMS1/1/D", severity: "HEALTH_WATCH", code: "ZONE_WITHOUT_LIQUID_COOLING", value: 152.32 },
      ],
    },
  },
  "row D overheats with one unit failed": {
    rpc: "ThermalHeadroom",
    request: { scope_ref: "row:AMS1/1/D", failed_crac_codes: ["CRAH-D1"] },
    expected: {
      effective_kw: 54,
      redundancy_ok: false,
      cracs: [
        { code: "CRAH-D1", failed: true, load_kw: 0 },
        { code: "CRAH-D2", failed: false, load_kw: 74.6 },
      ],
      hotspots: [
        { ref: "row:AMS1/1/D", severity: "HEALTH_FAULT", code: "ZONE_DEFICIT", value: 74.6, limit: 54 },
        { ref: "row:AMS1/1/D", severity: "HEALTH_WATCH", code: "ZONE_WITHOUT_LIQUID_COOLING" },
      ],
    },
  },
  "the fabric has two congested uplinks and lies as its links say": {
    rpc: "FabricTopology",
    request: { fabric_id: "FAB1", check_physical: true },
    expected: {
      summary: { links_up: 272, links_down: 0, congested: 2, max_util_pct: 94.794 },
      congested: [
        "fabric_link:LEAF-D03-1/Ethernet49~SPINE-D09-1/Ethernet63",
        "fabric_link:LEAF-D04-1/Ethernet51~SPINE-D10-1/Ethernet64",
      ],
      missing: [],
    },
  },
  "a quarter of the fabric is lost with one spine": {
    rpc: "FabricTopology",
    request: { fabric_id: "FAB1", failed_device_codes: ["SPINE-D09-1"] },
    expected: { summary: { links_up: 204, links_down: 68, bisection_mbps: 10_200_000 } },
  },
  "the floor has one rack at fault": {
    rpc: "FloorPlan",
    request: { floor_ref: "floor:AMS1/1" },
    expected: {
      counts: { ok: 0, watch: 39, fault: 1 },
      extents: { width_mm: 10_800, depth_mm: 15_000 },
      unplaced: [],
    },
  },
  "everything that hangs on a feed is found": {
    rpc: "SearchDevices",
    request: { filter: { fed_by: "feed:AMS1-A08-A" }, page_size: 1 },
    expected: {
      total_count: 25,
      role_counts: { compute: 20, leaf: 2, "mgmt-switch": 1, "rack-pdu": 2 },
      devices: [{ code: "LEAF-A08-1" }],
    },
  },
  "devices that lack the redundancy of their racks are listed": {
    rpc: "SearchDevices",
    request: { filter: { redundancy_unmet: true, rack_codes: ["A08", "B03"] }, page_size: 1000 },
    expected: { total_count: 25, role_counts: { compute: 21, leaf: 2, "mgmt-switch": 2 } },
  },
};
