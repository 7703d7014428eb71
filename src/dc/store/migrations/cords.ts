/**
 * Indexes that hold all that a search by cords or by free ports looks at: without them it reads the rows of all devices, or
 * looks up each device's types of ports.
 */
export function cords(): readonly string[] {
  return [
    "DROP INDEX device_role",
    "CREATE INDEX device_cords ON device (role, inlets, key)",
    "CREATE INDEX port_type_some ON port_type (device_key) WHERE free > 0",
  ];
}
