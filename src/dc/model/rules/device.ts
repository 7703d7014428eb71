import { isPowerKind } from "../draw.ts";
import { createWarning, type Finding } from "../finding.ts";
import { overlayDevice } from "../overlay.ts";
import { findPathLabels, listEnabledInlets } from "../power_walk.ts";
import type { Device } from "../resources.ts";
import type { Findings, ResourceWrite, RulePhases } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { deviceDataRules, deviceUniquenessRules } from "./device_data.ts";
import { deviceLocationRules, devicePlacementRules, deviceSpaceRules } from "./device_placement.ts";
import { checkCodeShape, checkCodeSpelling, checkPlacedFields, checkSharedFields } from "./general.ts";
import { portLinkRules, portUseRules } from "./port_links.ts";
import { portKindRules, portShapeRules } from "./ports.ts";
import { powerCycleRules, powerSourceRules, powerSourceShapeRules } from "./power_in.ts";
import { feedRules, powerOutRules } from "./power_out.ts";

/** Warns about supplies with a common point of failure. Source: docs/contract/datacenter-rules.md#power. */
async function checkSupplyRedundancy({ after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const inlets = listEnabledInlets(after);
  if (inlets.length === 0) return [];
  const paths = await listSupplyLabels(after, overlayDevice(site, after));
  const found: Finding[] = [];
  if (inlets.length > 1 && paths.connected > 1 && paths.labels.size === 1) {
    const [only = ""] = paths.labels;
    found.push(
      createWarning("SAME_PATH", "ports", `All inlets hang on supply side "${only}"`, {
        value: only,
        expected: "inlets on different sides",
      }),
    );
  }
  if (inlets.length === 1 && !isPowerKind(after.kind)) found.push(...(await checkSingleCorded(after, site)));
  return found;
}

async function listSupplyLabels(device: Device, site: SiteReader) {
  const labels = new Set<string>();
  let connected = 0;
  for (const inlet of listEnabledInlets(device)) {
    const paths = await findPathLabels(device, inlet, site);
    if (paths.size > 0) connected += 1;
    for (const label of paths) labels.add(label);
  }
  return { labels, connected };
}

async function checkSingleCorded(device: Device, site: SiteReader): Promise<Findings> {
  const rack = device.rackCode === undefined ? undefined : await site.rack(device.rackCode);
  if (rack?.requiredRedundancy !== "TWO_N") return [];
  return [
    createWarning("SINGLE_CORDED", "ports", `Rack "${rack.code}" requires two supplies, the device has one inlet`, {
      value: 1,
      expected: "at least 2 inlets",
      ref: `rack:${rack.code}`,
    }),
  ];
}

/**
 * All rules for a device, in phases: syntax; consistency within the device; consistency with other resources; cycles,
 * which require that every source exists; redundancy, which only warns.
 */
export const deviceRules: RulePhases<Device> = [
  [checkCodeShape, checkPlacedFields, checkSharedFields, ...deviceDataRules, ...portShapeRules],
  [
    checkCodeSpelling,
    ...devicePlacementRules,
    ...portKindRules,
    ...portLinkRules,
    ...powerSourceShapeRules,
    ...powerOutRules,
  ],
  [...deviceLocationRules, ...deviceUniquenessRules, ...portUseRules, ...feedRules, ...powerSourceRules],
  [...deviceSpaceRules, ...powerCycleRules],
  [checkSupplyRedundancy],
];
