import type { Device } from "../resources.ts";
import type { RulePhases } from "../rule.ts";
import { deviceDataRules, deviceUniquenessRules } from "./device_data.ts";
import { devicePlacementRules, deviceSpaceRules, deviceWhereaboutsRules } from "./device_placement.ts";
import { codeShape, codeSpelling, described, placed } from "./general.ts";
import { portLinkRules, portUseRules } from "./port_links.ts";
import { portKindRules, portShapeRules } from "./ports.ts";
import { powerCycleRules, powerSourceRules, powerSourceShapeRules } from "./power_in.ts";
import { feedRules, powerOutRules } from "./power_out.ts";
import { powerRedundancyRules } from "./power_redundancy.ts";

/**
 * All rules for a device, in phases: syntax; consistency within the device; consistency with other resources; cycles,
 * which require that every source exists; redundancy, which only warns.
 */
export const deviceRules: RulePhases<Device> = [
  [codeShape, placed, described, ...deviceDataRules, ...portShapeRules],
  [
    codeSpelling,
    ...devicePlacementRules,
    ...portKindRules,
    ...portLinkRules,
    ...powerSourceShapeRules,
    ...powerOutRules,
  ],
  [...deviceWhereaboutsRules, ...deviceUniquenessRules, ...portUseRules, ...feedRules, ...powerSourceRules],
  [...deviceSpaceRules, ...powerCycleRules],
  [...powerRedundancyRules],
];
