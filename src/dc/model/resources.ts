import type {
  Airflow,
  CableStatus,
  CableType,
  CoolingCapability,
  CoolingMedium,
  CoolingMethod,
  CracKind,
  CracStatus,
  Depth,
  DeviceKind,
  DeviceStatus,
  Face,
  FluidType,
  FormFactor,
  HeatRejection,
  LinkStatus,
  Mount,
  NetRole,
  OutletState,
  Phase,
  PhaseLeg,
  PortKind,
  RackStatus,
  Redundancy,
  ReservationStatus,
  SlotWidth,
  Supply,
  ThermalClass,
} from "./enum_values.ts";

// Resources as they are stored: the proto's fields in camelCase, with units in the names, enumeration values as text
// and times as ISO 8601 in UTC. Unknown, empty and false values are absent, so that equal resources are equal text.

/** Location of a rack, device or cooling unit. Floor 0 is the ground floor. */
export interface Location {
  readonly siteId: string;
  readonly floorNumber: number;
  readonly room?: string;
  readonly row?: string;
  readonly zoneId?: string;
}

/**
 * A rectangle on the floor, in millimetres from its north-west corner. The rotation gives the direction of the front.
 */
export interface Placement {
  readonly xMm: number;
  readonly yMm: number;
  readonly widthMm: number;
  readonly depthMm: number;
  readonly rotationDeg: number;
}

export interface PortRef {
  readonly deviceCode: string;
  readonly portName: string;
}

/** Fields that racks, devices, cooling units and cables share. */
interface Described {
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly comments?: string;
}

export interface PowerSpec {
  readonly capacityW?: number;
  readonly maxUtilizationPct?: number;
  readonly minLiveInlets?: number;
  readonly runtimeS?: number;
  readonly efficiencyPct?: number;
  readonly powerPath?: string;
  readonly requiredRedundancy?: Redundancy;
  readonly preferredInlet?: string;
}

export interface PortMapping {
  readonly frontPosition: number;
  readonly rearPort: string;
  readonly rearPosition: number;
}

export interface PowerIn {
  readonly sourceRef?: string;
  readonly maxDrawW?: number;
  readonly allocatedDrawW?: number;
  readonly powerPath?: string;
}

export interface PowerOut {
  readonly feedId?: string;
  readonly inletName?: string;
  readonly supply?: Supply;
  readonly phase?: Phase;
  readonly leg?: PhaseLeg;
  readonly voltageV?: number;
  readonly amperageA?: number;
  readonly maxUtilizationPct?: number;
  readonly breakerPosition?: number;
  readonly breakerPoles?: number;
  readonly state?: OutletState;
}

export interface Port {
  readonly name: string;
  readonly kind: PortKind;
  readonly type?: string;
  readonly label?: string;
  readonly enabled?: boolean;
  readonly speedMbps?: number;
  readonly mgmtOnly?: boolean;
  readonly netRole?: NetRole;
  readonly lag?: string;
  readonly parentPort?: string;
  readonly channel?: number;
  readonly macAddress?: string;
  readonly markConnected?: boolean;
  readonly positions?: number;
  readonly mappings?: readonly PortMapping[];
  readonly powerIn?: PowerIn;
  readonly powerOut?: PowerOut;
  readonly rxMbps?: number;
  readonly txMbps?: number;
  readonly measuredAt?: string;
}

/** A device without its ports, as lists, racks and floors read it. */
export interface DeviceBody extends Described {
  readonly code: string;
  readonly name?: string;
  readonly kind: DeviceKind;
  readonly role?: string;
  readonly status?: DeviceStatus;
  readonly manufacturer?: string;
  readonly model?: string;
  readonly partNumber?: string;
  readonly serial?: string;
  readonly assetTag?: string;
  readonly location?: Location;
  readonly rackCode?: string;
  readonly positionU?: number;
  readonly uHeight?: number;
  readonly face?: Face;
  readonly depth?: Depth;
  readonly slot?: SlotWidth;
  readonly mount?: Mount;
  readonly parentDeviceCode?: string;
  readonly bay?: string;
  readonly airflow?: Airflow;
  readonly weightKg?: number;
  readonly maxDrawW?: number;
  readonly allocatedDrawW?: number;
  readonly measuredDrawW?: number;
  readonly powerFactor?: number;
  readonly heatW?: number;
  readonly coolingMethod?: CoolingMethod;
  readonly liquidFractionPct?: number;
  readonly thermalClass?: ThermalClass;
  readonly inletTempC?: number;
  readonly exhaustTempC?: number;
  readonly measuredAt?: string;
  readonly power?: PowerSpec;
  readonly placement?: Placement;
  readonly tenant?: string;
}

export interface Device extends DeviceBody {
  readonly ports?: readonly Port[];
}

export interface Reservation {
  readonly units: readonly number[];
  readonly status?: ReservationStatus;
  readonly owner?: string;
  readonly reason?: string;
  readonly until?: string;
}

export interface Rack extends Described {
  readonly code: string;
  readonly name?: string;
  readonly facilityId?: string;
  readonly location?: Location;
  readonly positionInRow?: number;
  readonly status?: RackStatus;
  readonly role?: string;
  readonly formFactor?: FormFactor;
  readonly railWidthIn?: number;
  readonly uHeight?: number;
  readonly startingUnit?: number;
  readonly descUnits?: boolean;
  readonly mountingDepthMm?: number;
  readonly outerHeightMm?: number;
  readonly placement?: Placement;
  readonly weightKg?: number;
  readonly maxLoadKg?: number;
  readonly powerCapacityW?: number;
  readonly coolingCapacityW?: number;
  readonly coolingCapability?: CoolingCapability;
  readonly airflow?: Airflow;
  readonly requiredRedundancy?: Redundancy;
  readonly inletTempC?: number;
  readonly exhaustTempC?: number;
  readonly measuredAt?: string;
  readonly reservations?: readonly Reservation[];
  readonly tenant?: string;
  readonly serial?: string;
  readonly assetTag?: string;
}

export interface Crac extends Described {
  readonly code: string;
  readonly name?: string;
  readonly kind: CracKind;
  readonly status?: CracStatus;
  readonly location?: Location;
  readonly placement?: Placement;
  readonly rackCode?: string;
  readonly serves?: readonly string[];
  readonly sensibleCapacityKw: number;
  readonly totalCapacityKw?: number;
  readonly deratePct?: number;
  readonly airflowM3h?: number;
  readonly supplyTempC?: number;
  readonly returnTempC?: number;
  readonly ratedReturnTempC?: number;
  readonly fanSpeedPct?: number;
  readonly medium?: CoolingMedium;
  readonly heatRejection?: HeatRejection;
  readonly fluid?: FluidType;
  readonly redundancyGroup?: string;
  readonly measuredLoadKw?: number;
  readonly measuredAt?: string;
  readonly maxDrawW?: number;
  readonly allocatedDrawW?: number;
  readonly powerInputs?: readonly PowerIn[];
  readonly minLiveInlets?: number;
  readonly manufacturer?: string;
  readonly model?: string;
  readonly serial?: string;
}

/** Stored with a < b in the order of `comparePorts`. */
export interface Cable extends Described {
  readonly a: PortRef;
  readonly b: PortRef;
  readonly type?: CableType;
  readonly status?: CableStatus;
  readonly label?: string;
  readonly color?: string;
  readonly lengthM?: number;
  readonly bundle?: string;
  readonly tenant?: string;
}

/** End `a` is the leaf, `b` the spine. Both port names are empty if the link is not bound to ports. */
export interface FabricLink extends Described {
  readonly a: PortRef;
  readonly b: PortRef;
  readonly fabricId?: string;
  readonly status?: LinkStatus;
  readonly capacityMbps?: number;
  readonly aToBMbps?: number;
  readonly bToAMbps?: number;
  readonly measuredAt?: string;
  readonly ecmpGroup?: string;
  readonly lag?: string;
  readonly errorCount?: number;
}

/** Stored resources by their kind as references and the change log spell it. */
export interface ResourceByKind {
  readonly device: Device;
  readonly rack: Rack;
  readonly crac: Crac;
  readonly cable: Cable;
  readonly fabric_link: FabricLink;
}

export type ResourceKind = keyof ResourceByKind;
