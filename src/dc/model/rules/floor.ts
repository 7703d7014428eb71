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
import { computeFootprint, getRackSpace, getUnitRange } from "../rack_space.ts";
import { codeKey, parseRef, REF_GRAMMAR, type Ref } from "../ref.ts";
import type { Crac, DeviceBody, Rack } from "../resources.ts";
import {
  checkCodeShape,
  checkCodeSpelling,
  checkLocationAgreement,
  checkLocationPresence,
  checkNumberBounds,
  checkNumbers,
  checkPlacedFields,
  checkRequiredField,
  checkSharedFields,
  checkSlug,
  checkTexts,
  checkUniqueValues,
  createAssetTagRule,
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

function checkRackData({ after }: ResourceWrite<Rack>): Findings {
  return [...checkNumbers("Rack", after), ...checkSlug("role", after.role), ...checkTexts("Rack", after)];
}

function checkReservations({ after }: ResourceWrite<Rack>): Findings {
  const { from, to } = getUnitRange(after);
  const units = (after.reservations ?? []).flatMap((reservation, index) =>
    reservation.units.map((unit, at) => ({ unit, field: `reservations[${index}].units[${at}]`, reservation })),
  );
  const empty = (after.reservations ?? []).flatMap((reservation, index): readonly Finding[] =>
    reservation.units.length > 0
      ? []
      : [
          createRejection(
            "REQUIRED_FIELD",
            `reservations[${index}].units`,
            `Field "reservations[${index}].units" is empty`,
            {
              expected: "at least one unit",
            },
          ),
        ],
  );
  const words = (after.reservations ?? []).flatMap((reservation, index) =>
    checkTexts("Reservation", reservation, `reservations[${index}].`),
  );
  return [
    ...empty,
    ...words,
    ...units.flatMap(({ unit, field }) => checkNumberBounds(field, unit, { min: from, max: to - 1, step: 1 })),
    ...checkUniqueValues(
      units
        .filter(({ reservation }) => reservation.status !== "STALE")
        .map(({ unit, field }) => [field, String(unit)] as const),
      "Unit",
    ),
  ];
}

/** Rejects a rack change after which mounted devices would not fit. Source: docs/contract/datacenter-rules.md#rack. */
async function checkMountedDevices({ before, after }: ResourceWrite<Rack>, site: SiteReader): Promise<Findings> {
  if (before === undefined) return [];
  const { from, to } = getUnitRange(after);
  return (await site.devicesInRack(after.code)).flatMap((device) => {
    const space = getRackSpace(device);
    if (space === undefined || (space.from >= from && space.to <= to)) return [];
    const low = space.from < from;
    const field = low ? "starting_unit" : "u_height";
    return [
      createRejection("RACK_TOO_SHORT", field, `Rack "${after.code}" would no longer hold device "${device.code}"`, {
        value: low ? from : to - from,
        expected: low ? `at most ${Math.floor(space.from)}` : `at least ${Math.ceil(space.to) - from}`,
        ref: `device:${device.code}`,
      }),
    ];
  });
}

/** Checks the weight of the mounted devices against the rack's limit. */
async function checkMountedWeight({ after }: ResourceWrite<Rack>, site: SiteReader): Promise<Findings> {
  if (after.maxLoadKg === undefined) return [];
  return checkRackWeight(after, await site.devicesInRack(after.code), "max_load_kg");
}

/** Rejects weight above the rack's limit and warns from 90 %. */
export function checkRackWeight(rack: Rack, devices: readonly DeviceBody[], field: string): Findings {
  if (rack.maxLoadKg === undefined) return [];
  const kilograms = devices.reduce((sum, { weightKg = 0 }) => sum + weightKg, 0);
  const detail = { value: kilograms, expected: `at most ${rack.maxLoadKg} kg`, ref: `rack:${rack.code}` };
  if (kilograms > rack.maxLoadKg) {
    return [createRejection("WEIGHT_EXCEEDED", field, `Rack "${rack.code}" may not hold ${kilograms} kg`, detail)];
  }
  if (kilograms < rack.maxLoadKg * 0.9) return [];
  return [createWarning("WEIGHT_NEAR_LIMIT", field, `Rack "${rack.code}" holds ${kilograms} kg`, detail)];
}

/** Warns if racks on both sides of an aisle have opposite airflow, so that one rack exhausts into the other's inlet. */
async function checkOppositeAirflow({ after }: ResourceWrite<Rack>, site: SiteReader): Promise<Findings> {
  const { location, placement, airflow } = after;
  if (location === undefined || placement === undefined || airflow === undefined) return [];
  const racks = await site.racksOnFloor(location.siteId, location.floorNumber);
  return racks
    .filter((other) => codeKey(other.code) !== codeKey(after.code))
    .filter((other) => hasOppositeAirflow(airflow, other.airflow) && doRacksShareAisle(after, other))
    .map((other) =>
      createWarning("OPPOSITE_AIRFLOW", "airflow", `Rack "${other.code}" on the same aisle moves air the other way`, {
        value: airflow,
        expected: other.airflow ?? "",
        ref: `rack:${other.code}`,
      }),
    );
}

/** Whether one device moves the air in the direction opposite to the other device. */
export function hasOppositeAirflow(one: string | undefined, other: string | undefined): boolean {
  return (
    (one === "FRONT_TO_REAR" && other === "REAR_TO_FRONT") || (one === "REAR_TO_FRONT" && other === "FRONT_TO_REAR")
  );
}

const WIDEST_AISLE_MM = 3000;

/** Whether racks are side by side in a row and face one aisle, or face each other across an aisle of at most 3 m. */
function doRacksShareAisle(one: Rack, other: Rack): boolean {
  if (one.placement === undefined || other.placement === undefined) return false;
  const a = computeFootprint(one.placement);
  const b = computeFootprint(other.placement);
  const upright = one.placement.rotationDeg % 180 === 0;
  const besides = upright ? a.west < b.east && b.west < a.east : a.north < b.south && b.north < a.south;
  const gap = upright ? Math.max(b.north - a.south, a.north - b.south) : Math.max(b.west - a.east, a.west - b.east);
  const turn = (one.placement.rotationDeg - other.placement.rotationDeg + 360) % 360;
  if (turn === 180) return besides && gap >= 0 && gap <= WIDEST_AISLE_MM;
  return turn === 0 && one.location?.row !== undefined && one.location.row === other.location?.row;
}

/**
 * Rules for a rack, in phases: data, consistency with other resources, warnings. Source:
 * docs/contract/datacenter-rules.md#general, docs/contract/datacenter-rules.md#rack.
 */
export const rackRules: RulePhases<Rack> = [
  [checkCodeShape, checkLocationPresence, checkPlacedFields, checkRackData, checkSharedFields],
  [checkCodeSpelling, checkReservations],
  [
    checkMountedDevices,
    checkMountedWeight,
    createAssetTagRule("rack"),
    createOverlapRule("rack"),
    checkOppositeAirflow,
  ],
];
