import type { DescField, DescMessage } from "@bufbuild/protobuf";

/** Fields without presence that the model always contains: identities and coordinates, whose zero is a value. */
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

/**
 * Fields that the service computes. A request may contain them, because clients send back what they read; they are
 * ignored.
 */
const OUTPUT_ONLY: Readonly<Record<string, readonly string[]>> = {
  Device: ["etag", "create_time", "update_time"],
  Rack: ["health", "health_reasons", "etag", "create_time", "update_time"],
  Crac: ["etag", "create_time", "update_time"],
  Cable: ["etag", "create_time", "update_time"],
  FabricLink: ["utilization_pct", "congested", "physical", "etag", "create_time", "update_time"],
  Port: ["device_code", "cable", "far_end", "path_status"],
  PowerOut: ["capacity_w"],
};

/** How a message field maps to the model. */
export interface FieldPlan {
  readonly field: DescField;
  /** Whether the model contains the field even if it is zero or absent. */
  readonly isAlways: boolean;
}

const plans = new WeakMap<DescMessage, readonly FieldPlan[]>();

/** The message fields that the model contains, in proto order; computed fields are excluded. */
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
