import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { rule } from "#gen/datacenter/v1/rules_pb.ts";

/** Fields without presence that the model always contains: identities and coordinates, for which zero is a value. */
const ALWAYS_PRESENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
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

/** Mapping of one message field to the model. */
export interface FieldPlan {
  readonly field: DescField;
  /** Whether the model contains the field even if a message omits it or contains zero. */
  readonly isAlways: boolean;
}

const plansByMessage = new WeakMap<DescMessage, readonly FieldPlan[]>();

/**
 * Returns the message fields that the model contains, in proto order. Omits fields that the service computes: clients
 * may send them back, but they are ignored.
 */
export function listFieldPlans(schema: DescMessage): readonly FieldPlan[] {
  const known = plansByMessage.get(schema);
  if (known !== undefined) return known;
  const always = ALWAYS_PRESENT_FIELDS[schema.name] ?? [];
  const plan = schema.fields
    .filter((field) => !getOption(field, rule).output)
    .map((field) => ({ field, isAlways: always.includes(field.name) }));
  plansByMessage.set(schema, plan);
  return plan;
}
