import { codeKey } from "../code.ts";
import { createRejection, type ErrorFinding, type Finding } from "../finding.ts";
import { formatPortReference } from "../ref.ts";
import type { Device } from "../resources.ts";
import type { Findings, ResourceWrite } from "../rule.ts";
import type { SiteReader } from "../site.ts";
import { checkNumberBounds, checkUniqueValues } from "./checks.ts";
import { checkCode } from "./general.ts";

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
export const powerOutRules = [checkDeviceOutlets, checkMinLiveInlets, checkPreferredInlet];
export const feedRules = [checkFeedUnique];
