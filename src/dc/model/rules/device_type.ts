import { MAX_PORTS, MAX_TEXT_CHARS } from "#dc/limits.ts";
import { isSlugText, SLUG_GRAMMAR } from "../code.ts";
import type { DeviceType } from "../device_type.ts";
import { createRejection, type ErrorFinding } from "../finding.ts";
import type { Device } from "../resources.ts";
import type { Findings, ResourceWrite, Rule, RulePhases } from "../rule.ts";
import {
  checkNumberBounds,
  checkRequiredField,
  checkTableTexts,
  checkTextLength,
  checkUniqueValues,
  createSyntaxRejection,
} from "./checks.ts";
import { checkSharedFields } from "./general.ts";
import { portLinkRules } from "./port_links.ts";
import { portKindRules, portShapeRules } from "./ports.ts";

const MAX_BAYS = 256;

function checkTypeIdentity({ after }: ResourceWrite<DeviceType>): Findings {
  const { code, manufacturer, model, kind } = after;
  const found: ErrorFinding[] = [
    ...checkRequiredField("manufacturer", manufacturer),
    ...checkRequiredField("model", model),
    ...checkRequiredField("kind", kind),
    ...checkTableTexts(after, ["manufacturer", "model", "partNumber"]),
  ];
  if (isSlugText(code ?? "")) return found;
  return [...found, createSyntaxRejection("INVALID_CODE", "code", "code", code ?? "", SLUG_GRAMMAR)];
}

function checkTypeFigures({ after }: ResourceWrite<DeviceType>): Findings {
  const { uHeight, weightKg, maxDrawW, bays = [], ports = [] } = after;
  return [
    ...checkNumberBounds("u_height", uHeight, { min: 0, max: 100, step: 0.5 }),
    ...checkNumberBounds("weight_kg", weightKg, { min: 0, max: 100_000 }),
    ...checkNumberBounds("max_draw_w", maxDrawW, { min: 0 }),
    ...checkNumberBounds("bays", bays.length, { max: MAX_BAYS }),
    ...checkNumberBounds("ports", ports.length, { max: MAX_PORTS }),
    ...checkUniqueValues(
      bays.map((bay, index) => [`bays[${index}]`, bay] as const),
      "Bay",
    ),
    ...bays.flatMap((bay, index) => checkTextLength(`bays[${index}]`, bay, MAX_TEXT_CHARS)),
  ];
}

/** Rejects supplies in a type, because they belong to single devices. */
function checkTypeSources({ after: { ports = [] } }: ResourceWrite<DeviceType>): Findings {
  return ports.flatMap(({ powerIn, powerOut }, index) => {
    const field =
      powerIn?.sourceRef !== undefined
        ? "power_in.source_ref"
        : powerOut?.feedId !== undefined
          ? "power_out.feed_id"
          : undefined;
    if (field === undefined) return [];
    const message = `A type of device has no ${field}: expected none`;
    return [createRejection("FIELD_CONFLICT", `ports[${index}].${field}`, message, { expected: "none" })];
  });
}

/** Returns a rule that applies a rule for a device's ports to the ports of a type. */
function createTypePortRule(rule: Rule<Device>): Rule<DeviceType> {
  return ({ after, now }, site) => {
    const device: Device = { code: "type", kind: after.kind, ...(after.ports !== undefined && { ports: after.ports }) };
    return rule({ after: device, now }, site);
  };
}

export const deviceTypeRules: RulePhases<DeviceType> = [
  [checkTypeIdentity, checkTypeFigures, checkSharedFields, ...portShapeRules.map(createTypePortRule)],
  [checkTypeSources, ...portKindRules.map(createTypePortRule), ...portLinkRules.map(createTypePortRule)],
];
