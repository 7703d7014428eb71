import type { DeviceKind } from "#dc/model/enum_values.ts";
import type { Port } from "#dc/model/resources.ts";

/**
 * Device kinds by words in role or type names; of the phrases in a name, the one with the most words decides, the first of
 * equal ones. NetBox has user-defined roles, but no kinds.
 */
const KIND_PATTERNS: readonly (readonly [RegExp, DeviceKind])[] = [
  [/blade[ -]?(?:chassis|enclosure|cent(?:er|re)|system)/i, "CHASSIS"],
  [/blade[ -]?server/i, "BLADE"],
  [/storage[ -](?:server|node|array|system|shelf)/i, "STORAGE"],
  [/(?:console|terminal)[ -]?server/i, "CONSOLE_SERVER"],
  [/kvm[ -]switch/i, "KVM"],
  [/(?:rack|(?:switched|metered|managed|basic)(?:[ -]rack)?)[ -]pdu/i, "RACK_PDU"],
  [/patch[ -]panel|patch|fib(?:er|re)[ -]?panel|odf|cassette|keystone/i, "PATCH_PANEL"],
  [/\b(?:ats|sts)\b|(?:(?:automatic|static)[ -])?transfer[ -]?switch|static[ -]switch/i, "TRANSFER_SWITCH"],
  [/\bups\b|uninterrupt/i, "UPS"],
  [/\brpp\b|remote[ -]?power[ -]?panel/i, "RPP"],
  [/floor[ -]?pdu/i, "FLOOR_PDU"],
  [/\bpdu\b|power[ -]?distribution|power[ -]?strip|steckdosenleiste/i, "RACK_PDU"],
  [/bus[ -]?way|busbar/i, "BUSWAY"],
  [/generator|genset/i, "GENERATOR"],
  [/switch[ -]?(?:gear|board)/i, "SWITCHGEAR"],
  [/console|\boob\b/i, "CONSOLE_SERVER"],
  [/\bkvm\b/i, "KVM"],
  [/sensor|environment|camera/i, "SENSOR"],
  [/load[ -]?balanc|\badc\b/i, "LOAD_BALANCER"],
  [/fire[ -]?wall/i, "FIREWALL"],
  [
    /(?:\b[a-z]+[ -])?switch(?!ed|[ -]?(?:gear|board))|\b(?:leaf|spine|super-spine|border-leaf|tor|top-of-rack)\b/i,
    "SWITCH",
  ],
  [/router|gateway|\b(?:edge|wan|core|pe|ce|bng)\b/i, "ROUTER"],
  [/storage|\b(?:nas|san)\b|disk|array/i, "STORAGE"],
  [/\bcdu\b|coolant/i, "CDU"],
  [/chassis|enclosure/i, "CHASSIS"],
  [/blade/i, "BLADE"],
  [/(?:\b[a-z]+[ -])?server|compute|hypervisor|\b(?:host|node|gpu|vm|esxi?)\b/i, "SERVER"],
];

/** Properties of a device that determine its kind. */
export interface DeviceTraits {
  /** Name and slug of the device's role. */
  readonly role: string;
  /** Model of the device's type. */
  readonly model: string;
  /** Subdevice role: `parent`, `child` or empty. */
  readonly subdevice: string;
  readonly bays: boolean;
  readonly ports: readonly Port[];
}

/** Returns the kind of a device: by its bays, role, components and model. */
export function inferDeviceKind({ role, model, subdevice, bays, ports }: DeviceTraits): DeviceKind {
  if (subdevice === "parent" || bays) return "CHASSIS";
  const byRole = inferKindFromText(role);
  if (subdevice === "child" && (byRole === undefined || byRole === "SERVER")) return "BLADE";
  if (byRole !== undefined) return byRole;
  const kinds = new Set(ports.map(({ kind }) => kind));
  const active = ports.some(({ kind, mgmtOnly }) => kind === "NETWORK" && mgmtOnly !== true);
  if (kinds.has("POWER_OUT") && kinds.has("POWER_IN") && !active)
    return inferKindFromText(model) === "UPS" ? "UPS" : "RACK_PDU";
  if ((kinds.has("FRONT") || kinds.has("REAR")) && !active) return "PATCH_PANEL";
  return inferKindFromText(model) ?? "OTHER";
}

/** Returns the device kind whose words a text contains, such as the name of a role; undefined if none. */
export function inferKindFromText(words: string): DeviceKind | undefined {
  const text = words.replaceAll("_", " ");
  let found: { readonly kind: DeviceKind; readonly words: number } | undefined;
  for (const [pattern, kind] of KIND_PATTERNS) {
    const [phrase] = pattern.exec(text) ?? [];
    const count = phrase?.split(/[ -]+/).length ?? 0;
    if (count > (found?.words ?? 0)) found = { kind, words: count };
  }
  return found?.kind;
}
