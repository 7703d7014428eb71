import type { DescField, DescMessage } from "@bufbuild/protobuf";

/** Fields without presence that the model always holds: identities and coordinates, whose zero means something. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  Location: ["site_id", "floor_number"],
  Placement: ["x_mm", "y_mm", "width_mm", "depth_mm", "rotation_deg"],
  PortRef: ["device_code", "port_name"],
  PortMapping: ["front_position", "rear_port", "rear_position"],
  Reservation: ["units"],
  Device: ["code"],
  Port: ["name"],
  Rack: ["code"],
  Crac: ["code", "sensible_capacity_kw"],
};

/** What the service fills in; a caller who sends back what it read is not refused for it. */
const OUTPUT_ONLY: Readonly<Record<string, readonly string[]>> = {
  Device: ["etag", "create_time", "update_time"],
  Rack: ["health", "health_reasons", "etag", "create_time", "update_time"],
  Crac: ["etag", "create_time", "update_time"],
  Cable: ["etag", "create_time", "update_time"],
  FabricLink: ["utilization_pct", "congested", "physical", "etag", "create_time", "update_time"],
  Port: ["device_code", "cable", "far_end", "path_status"],
  PowerOut: ["capacity_w"],
};

/** How the model takes a field of a message. */
export interface FieldPlan {
  readonly field: DescField;
  /** Whether the model holds the field even where it is zero or not given. */
  readonly isAlways: boolean;
}

const plans = new WeakMap<DescMessage, readonly FieldPlan[]>();

/** The fields of a message that the model takes, in the order of the proto: all but those that the service fills in. */
export function fieldPlans(schema: DescMessage): readonly FieldPlan[] {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const always = ALWAYS[schema.name] ?? [];
  const ignored = OUTPUT_ONLY[schema.name] ?? [];
  const plan = schema.fields
    .filter(({ name }) => !ignored.includes(name))
    .map((field) => ({ field, isAlways: always.includes(field.name) }));
  plans.set(schema, plan);
  return plan;
}
