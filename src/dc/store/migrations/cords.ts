/**
 * Indexes that cover searches by cords and by free ports: without them such a search reads the rows of all devices, or
 * looks up the port types of each device.
 */
export function cords(): readonly string[] {
  return [
    "DROP INDEX device_role",
    "CREATE INDEX device_cords ON device (role, inlets, key)",
    "CREATE INDEX port_type_some ON port_type (device_key) WHERE free > 0",
  ];
}
