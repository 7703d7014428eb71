/** Pages for analyses, planning and history; one module, loaded when the first of them is opened. */
export { CapacityPage as Capacity } from "./capacity.tsx";
export { ComparePage as Compare } from "./compare.tsx";
export { FabricPage as Fabric } from "./fabric.tsx";
export { FloorPage as Floor } from "./floor.tsx";
export { HistoryPage as History } from "./history.tsx";
export { ImportPage as Import } from "./import.tsx";
export { NoticesPage as Notices } from "./notices.tsx";
export { PlacementPage as Placement } from "./placement.tsx";
export { PowerPage as Power } from "./power.tsx";
export { ReadingsPage as Readings } from "./readings.tsx";
export { RehearsalPage as Rehearsal } from "./rehearsal.tsx";
export { ThermalPage as Thermal } from "./thermal.tsx";
export { TracePage as Trace } from "./trace.tsx";
export { WindowPage as Window, WindowsPage as Windows } from "./windows.tsx";
