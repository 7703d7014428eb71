import { type DescEnum, type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
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
  return plansByMessage.getOrInsertComputed(schema, () => {
    const always = ALWAYS_PRESENT_FIELDS[schema.name] ?? [];
    return schema.fields
      .filter((field) => !getOption(field, rule).output)
      .map((field) => ({ field, isAlways: always.includes(field.name) }));
  });
}

/** The value `FieldPresence.EXPLICIT` of the descriptor's features. */
const EXPLICIT_PRESENCE = 1;

/** Returns a test of whether a value counts as absent: an empty list or map, and zero in a field without presence. */
export function createAbsenceTest({ fieldKind, ...field }: DescField): (value: unknown) => boolean {
  if (fieldKind === "list") return (value) => (value as readonly unknown[]).length === 0;
  if (fieldKind === "map") return (value) => Object.keys(value as object).length === 0;
  const hasPresence = fieldKind === "message" || ("presence" in field && field.presence === EXPLICIT_PRESENCE);
  return hasPresence ? () => false : (value) => value === 0 || value === "" || value === false;
}

/** Returns the common prefix of the names of an enumeration's values, such as `LOAD_BASIS_`. */
export function findEnumPrefix({ values }: DescEnum): string {
  return (values[0]?.name ?? "").replace(/UNSPECIFIED$/, "");
}
