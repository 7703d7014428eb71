/** Kinds of devices that exist to supply others. */
export const POWER_KINDS = [
  "UTILITY",
  "GENERATOR",
  "SWITCHGEAR",
  "TRANSFER_SWITCH",
  "UPS",
  "FLOOR_PDU",
  "RPP",
  "BUSWAY",
  "RACK_PDU",
] as const;
