/** Pages that ask, plan or look back, loaded together when the first of them is opened. */
export { Capacity } from "./capacity.tsx";
export { Compare } from "./compare.tsx";
export { Fabric } from "./fabric.tsx";
export { Floor } from "./floor.tsx";
export { History } from "./history.tsx";
export { Import } from "./import.tsx";
export { Notices } from "./notices.tsx";
export { Placement } from "./placement.tsx";
export { Power } from "./power.tsx";
export { Readings } from "./readings.tsx";
export { Rehearsal } from "./rehearsal.tsx";
export { Thermal } from "./thermal.tsx";
export { Trace } from "./trace.tsx";
export { Window } from "./window.tsx";
export { Windows } from "./windows.tsx";
