import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import { findInletDraw, isPowerKind } from "../draw.ts";
import {
  createRejection,
  createWarning,
  type ErrorFinding,
  type Finding,
  type Findings,
  type ResourceWrite,
  type RulePhases,
} from "../finding.ts";
import { overlayDevice, type SiteReader } from "../inventory.ts";
import { findPathLabels, listEnabledInlets } from "../power_walk.ts";
import { codeKey, formatPortReference } from "../ref.ts";
import type { Device } from "../resources.ts";
import { deviceLocationRules, devicePlacementRules, deviceSpaceRules } from "./device_placement.ts";
import {
  checkCode,
  checkCodeShape,
  checkCodeSpelling,
  checkNumberBounds,
  checkNumbers,
  checkPlacedFields,
  checkRequiredField,
  checkSharedFields,
  checkSlug,
  checkTexts,
  checkUniqueValues,
  createAssetTagRule,
} from "./general.ts";
import { portKindRules, portLinkRules, portShapeRules, portUseRules } from "./ports.ts";
import { powerCycleRules, powerSourceRules, powerSourceShapeRules } from "./power_in.ts";

/** Checks feeds, inlet names and breakers of a device's outlets. */
function checkDeviceOutlets({ after }: ResourceWrite<Device>): Findings {
  const inletNames = listInletNames(after);
  const found: Finding[] = [];
  const feeds: (readonly [string, string])[] = [];
  const breakers: (readonly [string, string])[] = [];
  for (const [index, { powerOut }] of (after.ports ?? []).entries()) {
    if (powerOut === undefined) continue;
    const at = `ports[${index}].power_out`;
    const { feedId, inletName, breakerPosition, breakerPoles = 1 } = powerOut;
    if (feedId !== undefined) {
      found.push(...checkCode(`${at}.feed_id`, feedId));
      feeds.push([`${at}.feed_id`, codeKey(feedId)]);
    }
    if (inletName !== undefined && !inletNames.includes(inletName)) {
      found.push(createUnknownInletRejection(`${at}.inlet_name`, inletName, inletNames));
    }
    if (breakerPosition === undefined) continue;
    // The poles of one breaker are on one side of the panel, so their numbers differ by two.
    for (let pole = 0; pole < breakerPoles; pole += 1) {
      breakers.push([`${at}.breaker_position`, String(breakerPosition + 2 * pole)]);
    }
  }
  return [...found, ...checkUniqueValues(feeds, "Feed"), ...checkUniqueValues(breakers, "Breaker position")];
}

function checkMinLiveInlets({ after }: ResourceWrite<Device>): Findings {
  const inlets = listInletNames(after).length;
  return checkNumberBounds("power.min_live_inlets", after.power?.minLiveInlets, { max: inlets });
}

/** Checks that the preferred inlet of a transfer switch or UPS is one of its inlets. */
function checkPreferredInlet({ after }: ResourceWrite<Device>): Findings {
  const name = after.power?.preferredInlet;
  const names = listInletNames(after);
  if (name === undefined || names.includes(name)) return [];
  return [createUnknownInletRejection("power.preferred_inlet", name, names)];
}

function createUnknownInletRejection(field: string, name: string, names: readonly string[]): ErrorFinding {
  const message = `Cannot find inlet "${name}" on the same device`;
  const expected = names.join(", ") || "a port of kind POWER_IN";
  return createRejection("REF_NOT_FOUND", field, message, { value: name, expected });
}

/** Lists names of all inlets, including disabled ones, which may be enabled again. */
function listInletNames({ ports = [] }: Device): readonly string[] {
  return ports.filter(({ kind }) => kind === "POWER_IN").map(({ name }) => name);
}

/** Rejects a feed that an outlet of another device declares. */
async function checkFeedUnique({ after }: ResourceWrite<Device>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  for (const [index, { powerOut }] of (after.ports ?? []).entries()) {
    if (powerOut?.feedId === undefined) continue;
    const declarer = await site.feedDeclarer(powerOut.feedId);
    if (declarer === undefined || codeKey(declarer.deviceCode) === codeKey(after.code)) continue;
    found.push(
      createRejection(
        "FEED_ALREADY_DECLARED",
        `ports[${index}].power_out.feed_id`,
        `Feed "${powerOut.feedId}" starts at port "${declarer.deviceCode}/${declarer.portName}"`,
        {
          value: powerOut.feedId,
          expected: "a feed that no other outlet declares",
          ref: formatPortReference(declarer),
        },
      ),
    );
  }
  return found;
}

/** Rules for the outlets of a device. Source: docs/contract/datacenter-rules.md#power. */
const powerOutRules = [checkDeviceOutlets, checkMinLiveInlets, checkPreferredInlet];
const feedRules = [checkFeedUnique];

function checkDeviceNumbers({ after }: ResourceWrite<Device>): Findings {
  return [...checkNumbers("Device", after), ...checkNumbers("PowerSpec", after.power, "power.")];
}

function checkDeviceTexts({ after }: ResourceWrite<Device>): Findings {
  return [
    ...checkRequiredField("kind", after.kind),
    ...checkSlug("role", after.role),
    ...checkTexts("Device", after),
    ...checkTexts("PowerSpec", after.power, "power."),
    ...checkNumberBounds("ports", after.ports?.length, { max: LIST_SIZES.Device.ports }),
  ];
}

/**
 * Rejects an allocated draw above the nameplate draw, and a measured draw above 1.2 times the nameplate; warns about a
 * measured draw between the two.
 */
function checkDeviceDraws({ after }: ResourceWrite<Device>): Findings {
  const { maxDrawW, allocatedDrawW, measuredDrawW } = after;
  if (maxDrawW === undefined) return [];
  const limit = maxDrawW * 1.2;
  return [
    ...checkNumberBounds("allocated_draw_w", allocatedDrawW, { max: maxDrawW }),
    ...checkNumberBounds("measured_draw_w", measuredDrawW, { max: limit }),
    ...(measuredDrawW !== undefined && measuredDrawW > maxDrawW && measuredDrawW <= limit
      ? [
          createWarning("MEASURED_ABOVE_MAX", "measured_draw_w", "The measured draw is above the nameplate", {
            value: measuredDrawW,
            expected: `at most ${maxDrawW}`,
          }),
        ]
      : []),
  ];
}

function checkLiquidCooling({ after }: ResourceWrite<Device>): Findings {
  if (after.coolingMethod !== "HYBRID" || after.liquidFractionPct !== undefined) return [];
  return [
    createRejection("REQUIRED_FIELD", "liquid_fraction_pct", "A device with hybrid cooling needs its liquid fraction", {
      expected: "0 to 100",
    }),
  ];
}

/** Rules for the data of a device. Source: docs/contract/datacenter-rules.md#device-data. */
/** Warns if a device's own draw and the sum of its inlets' draws of the same kind differ by more than a tenth. */
function checkInletDraws({ after }: ResourceWrite<Device>): Findings {
  const inlets = findInletDraw(after);
  const isAllocated = inlets?.source === "INLETS_ALLOCATED" && after.allocatedDrawW !== undefined;
  const [field, own] = isAllocated
    ? (["allocated_draw_w", after.allocatedDrawW] as const)
    : (["max_draw_w", after.maxDrawW ?? after.allocatedDrawW] as const);
  if (inlets === undefined || own === undefined) return [];
  if (Math.abs(own - inlets.watts) <= MAX_DRAW_DIFFERENCE * Math.max(own, inlets.watts)) return [];
  return [
    createWarning(
      "INLET_DRAWS_DIFFER",
      field,
      "The device's own draw, which counts, differs from those of its inlets",
      {
        value: own,
        expected: `about ${inlets.watts}, the sum of its inlets`,
      },
    ),
  ];
}

/** Share by which a device's own draw and those of its inlets may differ. */
const MAX_DRAW_DIFFERENCE = 0.1;

const deviceDataRules = [checkDeviceNumbers, checkDeviceTexts, checkDeviceDraws, checkInletDraws, checkLiquidCooling];
const deviceUniquenessRules = [createAssetTagRule("device")];

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
