/** Field names by column names of imported lists; column names are reduced to lower-case letters and digits. */
export const COLUMN_FIELDS: Readonly<Record<string, string>> = {
  ...{ device: "code", devicename: "code", rackname: "code" },
  ...{ rack: "rack_code", rackid: "rack_code", cabinet: "rack_code" },
  ...{ u: "position_u", unit: "position_u", position: "position_u", ru: "position_u", rackunit: "position_u" },
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
