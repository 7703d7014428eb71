import { isPowerKind } from "../draw.ts";
import { type Finding, warning } from "../finding.ts";
import { withDevice } from "../overlay.ts";
import { inletsOf, pathsOf } from "../power_walk.ts";
import type { Device } from "../resources.ts";
import type { Change, Findings, RulePhases } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { deviceDataRules, deviceUniquenessRules } from "./device_data.ts";
import { devicePlacementRules, deviceSpaceRules, deviceWhereaboutsRules } from "./device_placement.ts";
import { checkDescribed, checkPlaced, codeShape, codeSpelling } from "./general.ts";
import { portLinkRules, portUseRules } from "./port_links.ts";
import { portKindRules, portShapeRules } from "./ports.ts";
import { powerCycleRules, powerSourceRules, powerSourceShapeRules } from "./power_in.ts";
import { feedRules, powerOutRules } from "./power_out.ts";

/** Warns about supplies with a common point of failure. Source: docs/contract/datacenter-rules.md#power. */
async function redundancy({ after }: Change<Device>, site: SiteReader): Promise<Findings> {
  const inlets = inletsOf(after);
  if (inlets.length === 0) return [];
  const paths = await suppliedBy(after, withDevice(site, after));
  const found: Finding[] = [];
  if (inlets.length > 1 && paths.connected > 1 && paths.labels.size === 1) {
    const [only = ""] = paths.labels;
    found.push(
      warning("SAME_PATH", "ports", `All inlets hang on supply side "${only}"`, {
        value: only,
        expected: "inlets on different sides",
      }),
    );
  }
  if (inlets.length === 1 && !isPowerKind(after.kind)) found.push(...(await singleCorded(after, site)));
  return found;
}

async function suppliedBy(device: Device, site: SiteReader) {
  const labels = new Set<string>();
  let connected = 0;
  for (const inlet of inletsOf(device)) {
    const paths = await pathsOf(device, inlet, site);
    if (paths.size > 0) connected += 1;
    for (const label of paths) labels.add(label);
  }
  return { labels, connected };
}

async function singleCorded(device: Device, site: SiteReader): Promise<Findings> {
  const rack = device.rackCode === undefined ? undefined : await site.rack(device.rackCode);
  if (rack?.requiredRedundancy !== "TWO_N") return [];
  return [
    warning("SINGLE_CORDED", "ports", `Rack "${rack.code}" requires two supplies, the device has one inlet`, {
      value: 1,
      expected: "at least 2 inlets",
      ref: `rack:${rack.code}`,
    }),
  ];
}

const powerRedundancyRules = [redundancy];

/**
 * All rules for a device, in phases: syntax; consistency within the device; consistency with other resources; cycles,
 * which require that every source exists; redundancy, which only warns.
 */
export const deviceRules: RulePhases<Device> = [
  [codeShape, checkPlaced, checkDescribed, ...deviceDataRules, ...portShapeRules],
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
