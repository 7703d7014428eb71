import { MAX_PORTS, MAX_TEXT_CHARS } from "#dc/limits.ts";
import { isSlug, SLUG_GRAMMAR } from "../code.ts";
import type { DeviceType } from "../device_type.ts";
import { type ErrorFinding, rejectWrite } from "../finding.ts";
import type { Device } from "../resources.ts";
import type { Findings, ResourceWrite, Rule, RulePhases } from "../rule.ts";
import { checkNumber, checkRequired, checkTextLength, checkTexts, checkUnique, rejectSyntax } from "./checks.ts";
import { checkDescribed } from "./general.ts";
import { portLinkRules } from "./port_links.ts";
import { portKindRules, portShapeRules } from "./ports.ts";

const MAX_BAYS = 256;

function checkIdentity({ after }: ResourceWrite<DeviceType>): Findings {
  const { code, manufacturer, model, kind } = after;
  const found: ErrorFinding[] = [
    ...checkRequired("manufacturer", manufacturer),
    ...checkRequired("model", model),
    ...checkRequired("kind", kind),
    ...checkTexts(after, ["manufacturer", "model", "partNumber"]),
  ];
  if (isSlug(code ?? "")) return found;
  return [...found, rejectSyntax("INVALID_CODE", "code", "code", code ?? "", SLUG_GRAMMAR)];
}

function checkTypeFigures({ after }: ResourceWrite<DeviceType>): Findings {
  const { uHeight, weightKg, maxDrawW, bays = [], ports = [] } = after;
  return [
    ...checkNumber("u_height", uHeight, { min: 0, max: 100, step: 0.5 }),
    ...checkNumber("weight_kg", weightKg, { min: 0, max: 100_000 }),
    ...checkNumber("max_draw_w", maxDrawW, { min: 0 }),
    ...checkNumber("bays", bays.length, { max: MAX_BAYS }),
    ...checkNumber("ports", ports.length, { max: MAX_PORTS }),
    ...checkUnique(
      bays.map((bay, index) => [`bays[${index}]`, bay] as const),
      "Bay",
    ),
    ...bays.flatMap((bay, index) => checkTextLength(`bays[${index}]`, bay, MAX_TEXT_CHARS)),
  ];
}

/** Rejects supplies in a type, because they belong to single devices. */
function rejectSources({ after: { ports = [] } }: ResourceWrite<DeviceType>): Findings {
  return ports.flatMap(({ powerIn, powerOut }, index) => {
    const field =
      powerIn?.sourceRef !== undefined
        ? "power_in.source_ref"
        : powerOut?.feedId !== undefined
          ? "power_out.feed_id"
          : undefined;
    if (field === undefined) return [];
    const message = `A type of device has no ${field}: expected none`;
    return [rejectWrite("FIELD_CONFLICT", `ports[${index}].${field}`, message, { expected: "none" })];
  });
}

/** Applies a rule for a device's ports to the ports of a type. */
function toPortRule(rule: Rule<Device>): Rule<DeviceType> {
  return ({ after, now }, site) => {
    const device: Device = { code: "type", kind: after.kind, ...(after.ports !== undefined && { ports: after.ports }) };
    return rule({ after: device, now }, site);
  };
}

export const deviceTypeRules: RulePhases<DeviceType> = [
  [checkIdentity, checkTypeFigures, checkDescribed, ...portShapeRules.map(toPortRule)],
  [rejectSources, ...portKindRules.map(toPortRule), ...portLinkRules.map(toPortRule)],
];
