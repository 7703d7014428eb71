import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import {
  createRejection,
  createWarning,
  type ErrorFinding,
  type Finding,
  type Findings,
  type ResourceWrite,
  type RulePhases,
} from "../finding.ts";
import type { SiteReader } from "../inventory.ts";
import { codeKey, parseRef, REF_GRAMMAR, type Ref } from "../ref.ts";
import type { Crac } from "../resources.ts";
import {
  checkCodeShape,
  checkCodeSpelling,
  checkLocationAgreement,
  checkNumberBounds,
  checkNumbers,
  checkPlacedFields,
  checkRequiredField,
  checkSharedFields,
  checkTexts,
  checkUniqueValues,
  createMissingRefRejection,
  createOverlapRule,
  createSyntaxRejection,
} from "./general.ts";
import { checkSourceExists, checkSourceShape } from "./power_in.ts";

function checkCracData({ after }: ResourceWrite<Crac>): Findings {
  return [
    ...checkNumbers("Crac", after),
    ...checkRequiredField("kind", after.kind),
    ...checkTexts("Crac", after),
    ...checkNumberBounds("power_inputs", after.powerInputs?.length, { max: LIST_SIZES.Crac.powerInputs }),
    ...checkNumberBounds("serves", after.serves?.length, { max: LIST_SIZES.Crac.serves }),
  ];
}

/** Checks figures that depend on each other. */
function checkDependentFigures({ after }: ResourceWrite<Crac>): Findings {
  const found: Finding[] = [];
  const { totalCapacityKw, sensibleCapacityKw, supplyTempC, returnTempC, maxDrawW, allocatedDrawW } = after;
  found.push(...checkNumberBounds("total_capacity_kw", totalCapacityKw, { min: sensibleCapacityKw }));
  if (maxDrawW !== undefined) found.push(...checkNumberBounds("allocated_draw_w", allocatedDrawW, { max: maxDrawW }));
  found.push(
    ...checkNumberBounds("min_live_inlets", after.minLiveInlets, { min: 0, max: after.powerInputs?.length ?? 0 }),
  );
  if (supplyTempC !== undefined && returnTempC !== undefined && supplyTempC >= returnTempC) {
    found.push(
      createRejection("FIELD_CONFLICT", "supply_temp_c", "The supply must be colder than the return", {
        value: supplyTempC,
        expected: `below ${returnTempC}`,
      }),
    );
  }
  return found;
}

async function checkCracLocation({ after }: ResourceWrite<Crac>, site: SiteReader): Promise<Findings> {
  if (after.rackCode === undefined) return checkRequiredField("location", after.location);
  const rack = await site.rack(after.rackCode);
  if (rack?.code === after.rackCode) return checkLocationAgreement(after.location, rack.location, `rack:${rack.code}`);
  return [createMissingRefRejection("rack_code", "rack", after.rackCode)];
}

const SERVED_KINDS = ["floor", "room", "row", "zone", "rack"] as const;
const SERVES_GRAMMAR = SERVED_KINDS.map((kind) => REF_GRAMMAR[kind]).join(", ");

function checkServesShape({ after }: ResourceWrite<Crac>): Findings {
  return [
    ...(after.serves ?? []).flatMap((text, index) => {
      const ref = parseRef(text);
      if (ref !== undefined && SERVED_KINDS.some((kind) => kind === ref.kind)) return [];
      return [createSyntaxRejection("INVALID_REF", `serves[${index}]`, "scope", text, SERVES_GRAMMAR)];
    }),
    ...checkUniqueValues(
      (after.serves ?? []).map((text, index) => [`serves[${index}]`, text.toLowerCase()] as const),
      "Scope",
    ),
    ...(after.powerInputs ?? []).flatMap((inlet, index) => [
      ...checkSourceShape(`power_inputs[${index}].source_ref`, inlet.sourceRef),
      ...checkNumbers("PowerIn", inlet, `power_inputs[${index}].`),
      ...checkTexts("PowerIn", inlet, `power_inputs[${index}].`),
    ]),
  ];
}

async function checkReferencesExist({ after }: ResourceWrite<Crac>, site: SiteReader): Promise<Findings> {
  const found: Finding[] = [];
  const siteId = after.location?.siteId;
  for (const [index, text] of (after.serves ?? []).entries()) {
    const ref = parseRef(text);
    if (ref !== undefined) found.push(...(await checkServedScope(ref, `serves[${index}]`, siteId, site)));
  }
  for (const [index, { sourceRef }] of (after.powerInputs ?? []).entries()) {
    if (sourceRef !== undefined)
      found.push(...(await checkSourceExists(`power_inputs[${index}].source_ref`, sourceRef, site)));
  }
  return found;
}

async function checkServedScope(
  ref: Ref,
  field: string,
  siteId: string | undefined,
  site: SiteReader,
): Promise<readonly ErrorFinding[]> {
  const rack = ref.kind === "rack" ? await site.rack(ref.code) : undefined;
  if (ref.kind === "rack" && rack?.code !== ref.code) {
    return [createMissingRefRejection(field, "rack", ref.code, { ref: `rack:${ref.code}` })];
  }
  const other = "site" in ref ? ref.site : rack?.location?.siteId;
  if (siteId === undefined || other === undefined || codeKey(other) === codeKey(siteId)) return [];
  return [
    createRejection("LOCATION_MISMATCH", field, `A cooling unit serves its own site "${siteId}" only`, {
      value: other,
      expected: siteId,
    }),
  ];
}

function checkInletsWithoutSupply({ after }: ResourceWrite<Crac>): Findings {
  if ((after.powerInputs ?? []).length > 0) return [];
  return [
    createWarning("NO_POWER_INLETS", "power_inputs", "Without power inlets the effect of failures is unknown", {
      expected: "at least one inlet",
    }),
  ];
}

/** Warns when no other working unit serves the same scope. */
async function checkScopeReserve({ after }: ResourceWrite<Crac>, site: SiteReader): Promise<Findings> {
  const { location, serves = [] } = after;
  if (location === undefined) return [];
  const others = (await site.cracsOnFloor(location.siteId, location.floorNumber)).filter(
    ({ code, status }) => codeKey(code) !== codeKey(after.code) && (status === "ACTIVE" || status === "STANDBY"),
  );
  return serves.flatMap((scope, index) => {
    const shared = others.some((other) => other.serves?.some((text) => text.toLowerCase() === scope.toLowerCase()));
    if (shared) return [];
    return [
      createWarning("ZONE_WITHOUT_RESERVE", `serves[${index}]`, `No other unit serves "${scope}"`, {
        value: scope,
        expected: "at least one more unit",
        ref: scope,
      }),
    ];
  });
}

/** Rules for a cooling unit, in phases. Source: docs/contract/datacenter-rules.md#crac. */
export const cracRules: RulePhases<Crac> = [
  [checkCodeShape, checkPlacedFields, checkCracData, checkSharedFields, checkServesShape],
  [checkCodeSpelling, checkDependentFigures],
  [checkCracLocation, checkReferencesExist],
  [checkInletsWithoutSupply, checkScopeReserve, createOverlapRule("crac")],
];
